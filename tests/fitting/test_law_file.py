"""Files of laws that are damaged, made up or written by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nalm
from nalm.errors import ModelFileError

X = np.random.default_rng(0).uniform(1, 3, (60, 2))


@pytest.fixture(scope="module")
def law() -> nalm.Law:
    return nalm.fit(X, 9.81 * X[:, 0] / X[:, 1], ["a", "b"])


@pytest.fixture
def file(law, tmp_path) -> Path:
    law.save(tmp_path / "law.json")
    return tmp_path / "law.json"


def edited(file: Path, **fields: Any) -> Path:
    """Return the file with fields of its law changed, without a checksum."""
    data = json.loads(file.read_text())
    del data["sha256"]
    data["laws"][0].update(fields)
    file.write_text(json.dumps(data))
    return file


def refused(file: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        nalm.Law.load(file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def power(base: Any, exponent: Any) -> dict[str, Any]:
    return {"product": [[base, exponent]]}


def number(value: Any) -> dict[str, Any]:
    return {"sum": [], "constant": value}


def nested(depth: int) -> Any:
    tree: Any = 0
    for _ in range(depth):
        tree = power(tree, "2")
    return tree


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (number("1e100000000"), "no finite number"),
        (number("1" * 500), "no finite number"),
        (number("1/0"), "no finite number"),
        (number(" 1_000"), "no finite number"),
        (number(True), "no finite number"),
        (number(float("nan")), "no finite number"),
        (number(float("inf")), "no finite number"),
        (number(10**400), "no finite number"),
        (number("9" * 399), "no finite number"),
        (number(None), "no finite number"),
        (power(number("3"), "300000000"), "power"),
        (power(power(power(number("3"), "900"), "900"), "900"), "digits"),
        (power({"sum": [["200/3", 0]], "constant": "0"}, "900"), "digits"),
        ({"product": [[number("7" * 300), "1"]] * 20}, "digits"),
        ({"sum": [[f"1/{10**200 + k}", 0] for k in range(20)], "constant": "0"}, "denominator"),
        (nested(61), "inside each other"),
        (-1, "no column -1"),
        (2, "no column 2"),
        (10**30, "no column"),
        (True, "no column"),
        ("a", "no formula"),
        (None, "no formula"),
        ({"sum": []}, "no formula"),
        ({"sum": [], "constant": "1", "more": 1}, "no formula"),
        ({"sum": [["1"]], "constant": "1"}, "no pair"),
        ({"product": [5]}, "no pair"),
        ({"product": {"a": 1}}, "no formula"),
    ],
)
def test_a_formula_beyond_the_limits_is_refused(file, tree, reason):
    assert reason in refused(edited(file, tree=tree))


def test_a_formula_within_the_limits_can_be_printed(file):
    base = {"sum": [["2/3", 0]], "constant": "0"}
    loaded = nalm.Law.load(edited(file, tree=power(base, "-900")))
    assert len(loaded.text()) < len(loaded.latex())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("names", ["a", "a"]),
        ("names", []),
        ("names", "ab"),
        ("names", [1, 2]),
        ("outcome", "certain"),
        ("outcome", ["exact"]),
        ("noise", float("nan")),
        ("noise", -1),
        ("error", "small"),
        ("rows", 2.5),
        ("rows", True),
        ("held_out", -1),
        ("target", 5),
        ("reason", None),
        ("alternatives", {}),
        ("alternatives", [[0, 1]]),
        ("alternatives", [[9, 1, 0.5]]),
        ("surprise", 1),
    ],
)
def test_a_field_of_another_kind_is_refused(file, name, value):
    edited(file, **{name: value})
    assert "damaged" in refused(file)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 2}',
        '{"format": true, "laws": []}',
        '{"format": NaN, "laws": []}',
        '{"format": 2, "laws": [5]}',
        '{"format": 2, "laws": {}}',
        '{"format": 2, "laws": []}',
        '{"format": 2, "format": 2, "laws": []}',
        "9" * 5000,
        "\udce4",
    ],
)
def test_what_is_no_law_is_refused(tmp_path, text):
    (tmp_path / "law.json").write_text(text, errors="surrogateescape")
    assert "damaged" in refused(tmp_path / "law.json")


def test_a_changed_digit_is_found(file, law):
    text = file.read_text()
    file.write_text(text.replace("981/100", "982/100"))
    assert "remove the line" in refused(file)
    edited_text = "\n".join(line for line in file.read_text().split("\n") if "sha256" not in line)
    file.write_text(edited_text)
    assert nalm.Law.load(file).text() == law.text().replace("9.81", "9.82")


def test_a_name_of_the_checksum_cannot_be_lost(file):
    file.write_text(file.read_text().replace('"sha256"', '"sha257"').replace("981", "982"))
    assert "unknown key 'sha257'" in refused(file)


def test_a_file_from_before_checksums_is_read(file, law):
    assert nalm.Law.load(edited(file)) == law


def test_a_huge_file_is_not_read(tmp_path):
    with (tmp_path / "law.json").open("wb") as stream:
        stream.truncate(2**30)
    assert "at most 64 MB" in refused(tmp_path / "law.json")
