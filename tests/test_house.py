"""The rules of the house that no linter knows: behaviour belongs to the object."""

import ast
import re
from pathlib import Path

import pytest

import nalm.tasks
import nalm.training
from words import PRIVATE_WORDS

SOURCE = Path(nalm.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
LONGEST = 400


def kinds() -> set[str]:
    """Return the names of the classes that know their own behaviour."""
    registered = [
        *nalm.tasks.DISTRIBUTIONS.values(),
        *nalm.tasks.TARGETS.values(),
        *nalm.training.SCHEDULES.values(),
        *(type(loss) for loss in nalm.training.LOSSES.values()),
    ]
    return {cls.__name__ for cls in registered}


def names_in(node: ast.AST) -> set[str]:
    """Return the names and attributes in an expression."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def asked_kinds(tree: ast.AST) -> list[tuple[int, set[str]]]:
    """Return where a file asks an object for its class: isinstance, type(...) is, match."""
    asked = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and names_in(node.func) == {"isinstance"}:
            asked.append((node.lineno, names_in(node.args[1])))
        elif isinstance(node, ast.MatchClass):
            asked.append((node.lineno, names_in(node.cls)))
    return asked


TRAINED = [path for path in FILES if "fitting" not in path.parts]
"""Files that handle such objects; a column of a table to fit is another thing."""


@pytest.mark.parametrize("path", TRAINED, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nobody_asks_an_object_for_its_kind(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wrong = {line: names & kinds() for line, names in asked_kinds(tree) if names & kinds()}
    assert not wrong, f"{path}: let the object do this itself: {wrong}"


def test_the_search_for_such_questions_finds_them():
    tree = ast.parse(
        "isinstance(x, tasks.Uniform | int)\nmatch x:\n    case Ramp():\n        pass\n"
    )
    assert [names & kinds() for _, names in asked_kinds(tree)] == [{"Uniform"}, {"Ramp"}]


RESULTS = [p for room in ("sweeps", "report", "cli") for p in (SOURCE / room).rglob("*.py")]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_results_have_types_and_no_made_up_keys(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wrong = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.JoinedStr)
    ]
    assert not wrong, f"{path}: use a type with fields: lines {wrong}"


def test_files_are_short():
    long = {
        str(p.relative_to(SOURCE)): n
        for p in FILES
        if (n := len(p.read_text().splitlines())) > LONGEST
    }
    assert not long


DOCUMENTS = sorted(
    path
    for path in (SOURCE.parents[1] / "docs").rglob("*.md")
    if not {"generated", "_build"} & set(path.parts)
)


@pytest.mark.parametrize(
    "path",
    [*FILES, *DOCUMENTS, *sorted(SOURCE.parents[1].glob("*.md"))],
    ids=lambda path: path.name,
)
def test_words_a_stranger_knows(path):
    assert re.findall(PRIVATE_WORDS, path.read_text(encoding="utf-8")) == []
