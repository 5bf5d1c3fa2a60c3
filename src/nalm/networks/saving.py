"""Models on disk: one safetensors file whose header says, in JSON, what the tensors are.

Nothing in such a file is executed when it is loaded.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from nalm import __version__
from nalm._internal.checks import shown
from nalm._internal.custom import find, is_custom, source_of
from nalm._internal.files import is_file, write_whole
from nalm._internal.ops import to_numpy
from nalm._internal.strict_json import CHECKSUM, check_keys, checksum, parsed
from nalm._internal.types import Params
from nalm.errors import InputError, ModelFileError, NalmError, unknown
from nalm.networks import NETWORKS, Affine, Composite, Model, Stack
from nalm.networks.layers import flatten, parameters, unflatten
from nalm.units import REGISTRY, Unit, unit_class
from nalm.units._options import check_names, written

FORMAT = 1
"""The version of the file format; it grows when older readers could no longer read a file."""
DTYPES = {"F16", "F32", "F64"}
"""Those of parameters, as safetensors calls them."""
LONGEST = 300
"""The most letters of a reason."""


def save(model: Model, path: str | os.PathLike[str], params: Params | Sequence[Params]) -> None:
    """Write a model and its parameters to a file, whole or not at all.

    Parameters
    ----------
    model
        A unit, a stack or another network.
    path
        The file.
    params
        Its parameters, as arrays of NumPy, JAX or PyTorch.

    Examples
    --------
    >>> import nalm, tempfile, pathlib
    >>> unit = nalm.unit("nmu", 2, 1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "product.safetensors"
    >>> nalm.save(unit, file, unit.exact("mul"))
    >>> loaded, params = nalm.load(file)
    >>> loaded.formula(params, ["a", "b"])
    (a*b,)
    """
    from safetensors.numpy import save as to_bytes

    if not isinstance(model, Unit | Stack):
        swapped = " The model comes first: nalm.save(model, path, params)."
        raise InputError(
            "save takes a unit or stack, a path and the parameters; received "
            f"{type(model).__name__} as the model."
            f"{swapped if isinstance(path, Unit | Stack) else ' For PyTorch use nalm.torch.save.'}"
        )
    described: dict[str, Any] = {"format": FORMAT, "version": __version__, "model": describe(model)}
    tensors = _tensors(model, params)
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    wrong = {name: str(t.dtype) for name, t in tensors.items() if t.dtype.kind != "f"}
    if reason := _misfit(model, shapes, wrong):
        raise InputError(f"The parameters do not fit the model. {reason}")
    described[CHECKSUM] = checksum(described, _content(tensors))
    data = to_bytes(tensors, metadata={"nalm": json.dumps(described)})
    write_whole(path, data)


def load(path: str | os.PathLike[str], *, custom: Sequence[type[Unit]] = ()) -> tuple[Model, Any]:
    """Read a model and its parameters from a file that `save` wrote.

    Nothing in the file is executed. A custom unit is found if its class is given, or if this
    process has saved, loaded or trained it before, in the version that the file was written with.

    Parameters
    ----------
    path
        The file.
    custom
        The classes of custom units in it.

    Returns
    -------
    model, params
        The model, and its parameters as NumPy arrays.

    Examples
    --------
    >>> import nalm, tempfile, pathlib
    >>> unit = nalm.unit("nau", 2, 1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "sum.safetensors"
    >>> nalm.save(unit, file, unit.exact("add"))
    >>> nalm.load(file)[0]
    NAU(in_features=2, out_features=1, clamp='stored')
    """
    from safetensors import SafetensorError, safe_open

    for cls in custom:
        if not (isinstance(cls, type) and issubclass(cls, Unit)):
            raise InputError(f"custom is a list of classes of units; received {shown(cls)}.")
        if is_custom(cls):
            source_of(cls)
    path = Path(path)
    if not is_file(path):
        raise FileNotFoundError(f"There is no model file {str(path)!r}.")
    try:
        with safe_open(path, framework="numpy") as file:
            described = _description(file.metadata() or {}, path)
            model = rebuild(described, path)
            parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            shapes = {name: tuple(part.get_shape()) for name, part in parts.items()}
            dtypes = {name: str(part.get_dtype()) for name, part in parts.items()}
            wrong = {name: dtype for name, dtype in dtypes.items() if dtype not in DTYPES}
            if reason := _misfit(model, shapes, wrong):
                raise ModelFileError(f"{str(path)!r} is damaged; save the model again. {reason}")
            tensors = {name: file.get_tensor(name) for name in parts}
    except SafetensorError as error:
        raise ModelFileError(
            f"A model file is a complete safetensors file; {str(path)!r} is not: {error}. "
            "It may be cut off or of another kind; save the model again."
        ) from None
    if CHECKSUM in described and described[CHECKSUM] != checksum(described, _content(tensors)):
        raise ModelFileError(
            f"{str(path)!r} is damaged or was changed: its checksum is not that of its contents. "
            "Save the model again."
        )
    return model, unflatten(model, tensors)


def describe(model: Model) -> dict[str, Any]:
    """Return what a model is, as JSON values."""
    if isinstance(model, Stack):
        return {"stack": [describe(layer) for layer in model.layers]}
    if isinstance(model, Affine):
        return {"affine": model.in_features}
    published = {**REGISTRY, **NETWORKS}.get(model.name) is type(model)
    custom = {} if published else _custom(type(model))
    options = written(model)
    if isinstance(model, Composite):
        parts = [describe(part) for part in options.pop("units")]
        return {"network": model.name, "units": parts, "options": options, **custom}
    sizes = {name: options.pop(name) for name in ("in_features", "out_features")}
    return {"unit": model.name, **sizes, "options": options, **custom}


def _custom(cls: type[Unit]) -> dict[str, str]:
    """Return what tells a custom class and its version: its name and the digest of its source."""
    source = source_of(cls)
    return {"class": source.name, "source": source.digest}


def _description(header: Mapping[str, str], path: Path) -> dict[str, Any]:
    """Return what a file's header says, if this version can read it."""
    if "nalm" not in header:
        raise ModelFileError(
            f"{str(path)!r} is a safetensors file, but not one that nalm wrote. "
            "Read it with safetensors.numpy.load_file and pass the arrays as parameters."
        )
    try:
        described = parsed(header["nalm"])
        known = isinstance(described, dict) and type(described.get("format")) is int
        if known and described["format"] != FORMAT:
            raise ModelFileError(
                f"{str(path)!r} has format {described['format']!r}, written by nalm "
                f"{described.get('version', 'of an unknown version')}; this version reads format "
                f"{FORMAT}. Install a newer nalm, or save the model again."
            )
        check_keys(described, {"format", "model"}, {"version", CHECKSUM})
        if not known:
            raise ValueError("its format is no number")
        return described
    except ValueError as error:
        raise error if isinstance(error, ModelFileError) else _damaged(path, error) from None


def rebuild(described: Mapping[str, Any], path: Path) -> Model:
    """Return the model that a file describes."""
    try:
        return described_model(described["model"])
    except (
        NalmError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> ModelFileError:
    reason = shorten(f"{type(error).__name__}: {error}", LONGEST, placeholder=" …")
    return ModelFileError(
        f"The description of the model in {str(path)!r} is damaged or of a newer nalm ({reason}). "
        "Save the model again, or install a newer nalm."
    )


def described_model(described: Mapping[str, Any]) -> Model:
    """Return the model that `describe` described."""
    if "stack" in described:
        return Stack(tuple(_layer(layer) for layer in described["stack"]))
    return _layer(described)


def _layer(described: Mapping[str, Any]) -> Unit:
    if "affine" in described:
        return Affine(described["affine"], described["affine"])
    if "network" in described:
        parts = tuple(_layer(part) for part in described["units"])
        return _network_class(described)(units=parts, **described["options"])
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in described["options"].items()
    }
    cls = _unit_class(described)
    check_names(cls, options)
    return cls(described["in_features"], described["out_features"], **options)


def _unit_class(described: Mapping[str, Any]) -> type[Unit]:
    if "source" in described:
        return find(described["source"], described["class"], "unit")
    return unit_class(described["unit"])


def _network_class(described: Mapping[str, Any]) -> type[Composite]:
    if "source" in described:
        return find(described["source"], described["class"], "network")
    if described["network"] not in NETWORKS:
        raise unknown("network", described["network"], NETWORKS)
    return NETWORKS[described["network"]]


def _tensors(model: Model, params: Params | Sequence[Params]) -> dict[str, np.ndarray]:
    if isinstance(model, Stack):
        model.check(params)  # pyright: ignore[reportArgumentType]
    elif not isinstance(params, Mapping):
        raise InputError(f"Parameters are a dictionary; received {type(params).__name__}.")
    flat = flatten(model, params)
    return {name: np.ascontiguousarray(to_numpy(value)) for name, value in flat.items()}


def _content(tensors: Mapping[str, np.ndarray]) -> bytes:
    """Return names, kinds, shapes and numbers, for the checksum."""
    return b"".join(
        f"{name} {tensor.dtype.str} {tensor.shape}\n".encode() + tensor.tobytes()
        for name, tensor in sorted(tensors.items())
    )


def _misfit(
    model: Model, shapes: Mapping[str, tuple[int, ...]], wrong: Mapping[str, str]
) -> str | None:
    """Return why tensors are not those the model declares, or None; `wrong` are their dtypes."""
    declared = {name: parameter.shape for name, parameter in parameters(model).items()}
    if shapes != declared:
        both = f"{model!r} has the tensors {declared}; received {shapes}."
        return shorten(both, LONGEST, placeholder=" …")
    rule = "Parameters are floating-point numbers of 16, 32 or 64 bits"
    return f"{rule}; received {wrong}." if wrong else None
