"""Models on disk: one safetensors file whose header says, in JSON, what the tensors are.

Nothing in such a file is executed when it is loaded.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from nalm import __version__
from nalm._ops import to_numpy
from nalm._types import Params
from nalm.errors import InputError, ModelFileError, NalmError, unknown
from nalm.networks import NETWORKS, Affine, Composite, Model, Stack
from nalm.networks.layers import flatten, parameters, unflatten
from nalm.units import REGISTRY, Unit, unit
from nalm.units.own import source_digest
from nalm.writing import write_whole

FORMAT = 1
"""The version of the file format; it grows when older readers could no longer read a file."""


def save(path: str | os.PathLike[str], model: Model, params: Params | Sequence[Params]) -> None:
    """Write a model and its parameters to a file, whole or not at all.

    >>> import numpy as np, nalm, tempfile, pathlib
    >>> unit = nalm.unit("nmu", 2, 1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "product.safetensors"
    >>> nalm.save(file, unit, unit.exact("mul"))
    >>> loaded, params = nalm.load(file)
    >>> loaded.formula(params, ["a", "b"])
    (a*b,)
    """
    from safetensors.numpy import save as to_bytes

    if not isinstance(model, Unit | Stack):
        raise InputError(
            "save takes a path, a unit or stack, and its parameters; received "
            f"{type(model).__name__} as the model. For a PyTorch layer use nalm.torch.save."
        )
    described = {"format": FORMAT, "version": __version__, "model": describe(model)}
    tensors = _tensors(model, params)
    if reason := _misfit(model, tensors):
        raise InputError(f"The parameters do not fit the model. {reason}")
    data = to_bytes(tensors, metadata={"nalm": json.dumps(described)})
    write_whole(path, data)


def load(path: str | os.PathLike[str]) -> tuple[Model, Any]:
    """Read a model and its parameters, as NumPy arrays, from a file that `save` wrote."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {str(path)!r}.")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            model = rebuild(header, path)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ModelFileError(
            f"A model file is a complete safetensors file; {str(path)!r} is not: {error}. "
            "It may be cut off or of another kind; save the model again."
        ) from None
    if reason := _misfit(model, tensors):
        raise ModelFileError(f"{str(path)!r} is damaged; save the model again. {reason}")
    return model, unflatten(model, tensors)


def describe(model: Model) -> dict[str, Any]:
    """Return what a model is, as JSON values."""
    if isinstance(model, Stack):
        return {"stack": [describe(layer) for layer in model.layers]}
    if isinstance(model, Affine):
        return {"affine": model.in_features}
    if isinstance(model, Composite) and NETWORKS.get(model.name) is type(model):
        given = {field.name: getattr(model, field.name) for field in fields(model)}
        parts = [describe(part) for part in given.pop("units")]
        return {"network": model.name, "units": parts, "options": given}
    if REGISTRY.get(model.name) is not type(model):
        raise InputError(
            f"Only units of the registry can be written down and read again; received {model!r}. "
            "Save its parameters with safetensors.numpy.save_file."
        )
    options = asdict(model)
    sizes = {name: options.pop(name) for name in ("in_features", "out_features")}
    source = source_digest(model.name)
    own = {} if source is None else {"source": source}
    return {"unit": model.name, **sizes, "options": options, **own}


def rebuild(header: Mapping[str, str], path: Path) -> Model:
    """Return the model that a file's header describes."""
    if "nalm" not in header:
        raise ModelFileError(
            f"{str(path)!r} is a safetensors file, but not one that nalm wrote. "
            "Read it with safetensors.numpy.load_file and pass the arrays as parameters."
        )
    try:
        described = json.loads(header["nalm"])
        if described["format"] != FORMAT:
            raise ModelFileError(
                f"{str(path)!r} has format {described['format']!r}, written by nalm "
                f"{described.get('version', 'of an unknown version')}; this version reads format "
                f"{FORMAT}. Install a newer nalm, or save the model again."
            )
        return described_model(described["model"])
    except ModelFileError:
        raise
    except (NalmError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelFileError(
            f"The description of the model in {str(path)!r} is damaged or of a newer nalm "
            f"({type(error).__name__}: {error}). Save the model again, or install a newer nalm."
        ) from None


def described_model(described: Mapping[str, Any]) -> Model:
    """Return the model that `describe` described."""
    if "stack" in described:
        return Stack(tuple(_layer(layer) for layer in described["stack"]))
    return _layer(described)


def _layer(described: Mapping[str, Any]) -> Unit:
    if "affine" in described:
        return Affine(described["affine"], described["affine"])
    if "network" in described:
        if described["network"] not in NETWORKS:
            raise unknown("network", described["network"], NETWORKS)
        parts = tuple(_layer(part) for part in described["units"])
        return NETWORKS[described["network"]](units=parts, **described["options"])
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in described["options"].items()
    }
    name = described["unit"]
    if name in REGISTRY and source_digest(name) != described.get("source"):
        raise InputError(
            f"The file of the unit {name!r} is not the one it was trained with. Give that version "
            "of the file, or train again."
        )
    return unit(name, described["in_features"], described["out_features"], **options)


def _tensors(model: Model, params: Params | Sequence[Params]) -> dict[str, np.ndarray]:
    if isinstance(model, Stack):
        model.check(params)  # pyright: ignore[reportArgumentType]
    elif not isinstance(params, Mapping):
        raise InputError(f"Parameters are a dictionary; received {type(params).__name__}.")
    flat = flatten(model, params)
    return {name: np.ascontiguousarray(to_numpy(value)) for name, value in flat.items()}


def _misfit(model: Model, tensors: Mapping[str, np.ndarray]) -> str | None:
    """Return why the tensors are not those the model declares, or None if they are."""
    declared = {name: parameter.shape for name, parameter in parameters(model).items()}
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    if shapes != declared:
        return f"{model!r} has the tensors {declared}; received {shapes}."
    wrong = {name: str(t.dtype) for name, t in tensors.items() if t.dtype.kind != "f"}
    return f"Parameters are floating-point numbers; received {wrong}." if wrong else None
