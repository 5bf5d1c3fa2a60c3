"""Model files: exact round trips, and a clear refusal of everything else."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import safetensors.numpy

import nalm
from cases import CASES, random_params
from nalm._internal.custom import load as load_class
from nalm.errors import InputError, ModelFileError
from nalm.networks.saving import FORMAT
from nalm.units import NMU, Unit


@pytest.mark.parametrize("unit", CASES, ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_round_trip_of_every_unit(unit: Unit, dtype, tmp_path):
    params = {name: value.astype(dtype) for name, value in random_params(unit).items()}
    nalm.save(unit, tmp_path / "model.safetensors", params)
    loaded, again = nalm.load(tmp_path / "model.safetensors")
    assert loaded == unit
    assert again.keys() == params.keys()
    for name, value in params.items():
        assert again[name].dtype == dtype
        np.testing.assert_array_equal(again[name], value)
    assert [f.name for f in tmp_path.iterdir()] == ["model.safetensors"]


def test_round_trip_of_a_stack(tmp_path):
    stack = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("snmu", 2, 1, noise_range=(1.0, 2.0))))
    params = stack.init(np.random.default_rng(0))
    nalm.save(stack, tmp_path / "stack", params)
    loaded, again = nalm.load(tmp_path / "stack")
    assert loaded == stack
    np.testing.assert_array_equal(again[1]["weight"], params[1]["weight"])


def file_with(path, metadata, tensors=None):
    tensors = {"weight": np.ones((1, 2))} if tensors is None else tensors
    safetensors.numpy.save_file(tensors, path, metadata=metadata)
    return path


def described(unit="nmu", in_features: object = 2, out_features=1, options=None, version=FORMAT):
    model = {
        "unit": unit,
        "in_features": in_features,
        "out_features": out_features,
        "options": options or {},
    }
    return {"nalm": json.dumps({"format": version, "version": "9.9", "model": model})}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (None, "not one that nalm wrote"),
        ({"other": "x"}, "not one that nalm wrote"),
        ({"nalm": "{"}, "damaged"),
        ({"nalm": "[]"}, "damaged"),
        ({"nalm": '{"format": 1}'}, "damaged"),
        (described(version=2), "format 2, written by nalm 9.9; this version reads format 1"),
        (described(unit="nmx"), "There is no unit 'nmx'. Did you mean 'nmu'"),
        (described(options={"clap": 1}), "Did you mean 'clamp'"),
        (described(options={"clamp": "never"}), "no clamp of NMU 'never'"),
        (described(in_features=-2), "in_features of NMU must be a whole number"),
        (described(in_features="2"), "in_features of NMU must be a whole number"),
        (described(in_features=3), r"has the tensors \{'weight': \(1, 3\)\}; received"),
        (described(unit="npu"), "has the tensors"),
    ],
)
def test_foreign_and_damaged_files_are_refused(metadata, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        nalm.load(file_with(tmp_path / "file", metadata))


def test_truncated_empty_and_other_files_are_refused(tmp_path):
    unit = nalm.unit("nmu", 2, 1)
    path = tmp_path / "model"
    nalm.save(unit, path, unit.exact("mul"))
    whole = path.read_bytes()
    for length in (0, 4, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match="complete safetensors file"):
            nalm.load(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ModelFileError):
        nalm.load(path)
    with pytest.raises(FileNotFoundError, match="no model file"):
        nalm.load(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        nalm.load(tmp_path)
    file_with(path, described(), {"weight": np.ones((1, 2), dtype=np.int8)})
    with pytest.raises(ModelFileError, match=r"floating-point numbers of .*; received"):
        nalm.load(path)


def test_saving_checks_the_parameters_and_keeps_the_old_file(tmp_path, monkeypatch):
    unit = nalm.unit("nmu", 2, 1)
    path = tmp_path / "model"
    nalm.save(unit, path, unit.exact("mul"))
    before = path.read_bytes()
    with pytest.raises(InputError, match="has the tensors"):
        nalm.save(unit, path, {"weight": np.ones((3, 3))})
    with pytest.raises(InputError, match="floating-point numbers"):
        nalm.save(unit, path, {"weight": np.ones((1, 2), dtype=int)})
    for wrong in ("nmu", nalm.torch.NMU(2, 1)):
        with pytest.raises(InputError, match=r"nalm\.torch\.save"):
            nalm.save(wrong, path, unit.exact("mul"))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="a dictionary; received list"):
        nalm.save(unit, path, [])
    with pytest.raises(FileNotFoundError, match=r"a folder that exists; .*absent"):
        nalm.save(unit, tmp_path / "absent" / "model", unit.exact("mul"))
    with pytest.raises(IsADirectoryError):
        nalm.save(unit, tmp_path, unit.exact("mul"))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        nalm.save(unit, path, {"weight": np.zeros((1, 2))})
    assert path.read_bytes() == before
    assert [f.name for f in tmp_path.iterdir()] == ["model"]


def test_the_model_comes_first(tmp_path):
    unit = nalm.unit("nmu", 2, 1)
    with pytest.raises(InputError, match=r"model comes first: nalm\.save\(model, path, params\)"):
        nalm.save(tmp_path / "x", unit, unit.exact("mul"))  # pyright: ignore[reportArgumentType]


IN_ANOTHER_PROCESS = """
import nalm, sys
{definition}
try:
    model, params = nalm.load(sys.argv[1]{given})
    print(type(model).__name__, *model.formula(params))
except nalm.errors.ModelFileError as error:
    print(error)
"""


def test_a_custom_unit_is_loaded_with_its_class(tmp_path):
    file = tmp_path / "mine.py"
    definition = "from nalm.units import NMU\n\n\nclass Mine(NMU):\n    factor = 1\n"
    file.write_text(definition)
    mine = load_class(f"{file}:Mine", Unit, "unit")(2, 1)  # pyright: ignore[reportAbstractUsage]
    nalm.save(mine, tmp_path / "model", mine.exact("mul"))
    loading = (
        f"from nalm._internal.custom import load\nMine = load('{file}:Mine', nalm.Unit, 'unit')"
    )
    assert "custom unit Mine is not known here" in elsewhere(tmp_path, "", "")
    assert elsewhere(tmp_path, loading, ", custom=[Mine]").strip() == "Mine x1*x2"
    file.write_text(definition.replace("1", "2"))
    assert "custom unit Mine has changed" in elsewhere(tmp_path, loading, ", custom=[Mine]")


def elsewhere(folder, definition: str, given: str) -> str:
    code = IN_ANOTHER_PROCESS.format(definition=definition, given=given)
    command = [sys.executable, "-c", code, str(folder / "model")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_units_without_a_source_cannot_be_saved(tmp_path):
    mine = type("Mine", (NMU,), {"name": "mine", "__module__": "nowhere"})(2, 1)
    with pytest.raises(InputError, match="The source of Mine cannot be read, because no file"):
        nalm.save(mine, tmp_path / "x", mine.exact("mul"))


def crafted(path, description: str, dtype="F32", bits=32):
    """Write a file of two numbers with any description and any dtype."""
    tensor = {"dtype": dtype, "shape": [1, 2], "data_offsets": [0, bits // 4]}
    header = json.dumps({"__metadata__": {"nalm": description}, "weight": tensor}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * (bits // 4))
    return path


MODEL = {"unit": "nmu", "in_features": 2, "out_features": 1, "options": {}}


@pytest.mark.parametrize(
    "description",
    [
        "[" * 100_000,
        '{"format":1,"format":1,"model":{}}',
        "null",
        json.dumps({"format": True, "model": MODEL}),
        json.dumps({"format": 1, "model": MODEL, "surprise": 1}),
        json.dumps({"format": 1, "model": {**MODEL, "in_features": 10**40}}),
        json.dumps({"format": 1, "model": {**MODEL, "in_features": 10**9}}),
        *(
            json.dumps(
                {"format": 1, "model": {**MODEL, "unit": "nru", "options": {"tanh_scale": s}}}
            )
            for s in (float("inf"), float("nan"), 10**400, "10", True)
        ),
    ],
    ids=lambda text: text[:60],
)
def test_a_made_up_description_is_refused_in_one_sentence(tmp_path, description):
    with pytest.raises(ModelFileError) as caught:
        nalm.load(crafted(tmp_path / "model", description))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(("dtype", "bits"), [("BF16", 16), ("F8_E4M3", 8), ("I64", 64)])
def test_numbers_of_another_kind_are_refused(tmp_path, dtype, bits):
    file = crafted(tmp_path / "model", json.dumps({"format": 1, "model": MODEL}), dtype, bits)
    with pytest.raises(ModelFileError, match=f"16, 32 or 64 bits; received.*{dtype}"):
        nalm.load(file)


def test_a_changed_byte_is_found(tmp_path):
    unit = nalm.unit("nmu", 2, 1)
    nalm.save(unit, tmp_path / "model", unit.exact("mul"))
    data = bytearray((tmp_path / "model").read_bytes())
    data[-1] ^= 1
    (tmp_path / "model").write_bytes(data)
    with pytest.raises(ModelFileError, match="checksum"):
        nalm.load(tmp_path / "model")


def test_a_file_from_before_checksums_is_read(tmp_path):
    assert nalm.load(file_with(tmp_path / "model", described()))[0] == nalm.unit("nmu", 2, 1)
