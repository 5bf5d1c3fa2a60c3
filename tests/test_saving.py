"""Model files: exact round trips, and a clear refusal of everything else."""

import json
import os

import numpy as np
import pytest
import safetensors.numpy

import nalm
from cases import CASES, random_params
from nalm.errors import InputError, ModelFileError
from nalm.saving import FORMAT
from nalm.units import NMU, Unit


@pytest.mark.parametrize("unit", CASES, ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_round_trip_of_every_unit(unit: Unit, dtype, tmp_path):
    params = {name: value.astype(dtype) for name, value in random_params(unit).items()}
    nalm.save(tmp_path / "model.safetensors", unit, params)
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
    nalm.save(tmp_path / "stack", stack, params)
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
    nalm.save(path, unit, unit.exact("mul"))
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
    with pytest.raises(ModelFileError, match="floating-point numbers; received"):
        nalm.load(path)


def test_saving_checks_the_parameters_and_keeps_the_old_file(tmp_path, monkeypatch):
    unit = nalm.unit("nmu", 2, 1)
    path = tmp_path / "model"
    nalm.save(path, unit, unit.exact("mul"))
    before = path.read_bytes()
    with pytest.raises(InputError, match="has the tensors"):
        nalm.save(path, unit, {"weight": np.ones((3, 3))})
    with pytest.raises(InputError, match="floating-point numbers"):
        nalm.save(path, unit, {"weight": np.ones((1, 2), dtype=int)})
    for wrong in ("nmu", nalm.torch.NMU(2, 1)):
        with pytest.raises(InputError, match=r"nalm\.torch\.save"):
            nalm.save(path, wrong, unit.exact("mul"))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="a dictionary; received list"):
        nalm.save(path, unit, [])
    with pytest.raises(FileNotFoundError, match=r"a folder that exists; .*absent"):
        nalm.save(tmp_path / "absent" / "model", unit, unit.exact("mul"))
    with pytest.raises(IsADirectoryError):
        nalm.save(tmp_path, unit, unit.exact("mul"))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        nalm.save(path, unit, {"weight": np.zeros((1, 2))})
    assert path.read_bytes() == before
    assert [f.name for f in tmp_path.iterdir()] == ["model"]


def test_units_outside_the_registry_cannot_be_saved(tmp_path):
    class Mine(NMU):
        name = "mine"

    mine = Mine(2, 1)
    with pytest.raises(InputError, match="Only units of the registry"):
        nalm.save(tmp_path / "x", mine, mine.exact("mul"))
