"""The results of a block as bytes, for pipes and files: safetensors, nothing that can run code."""

from collections.abc import Sequence

import numpy as np

from nalm.training.run import Curves

SERIES = ("validation", "test", "sparsity", "loss")
NAMED = ("penalties", "final", "best", "series", "arrays")


def pack(curves: Sequence[Curves]) -> bytes:
    """Return the curves of several runs of one program as bytes."""
    from safetensors.numpy import save

    tensors = {"steps": curves[0].steps, "diverged_at": np.array([c.diverged_at for c in curves])}
    for name in SERIES:
        tensors[name] = np.stack([getattr(c, name) for c in curves])
    for group in NAMED:
        for name in getattr(curves[0], group):
            tensors[f"{group}.{name}"] = np.stack([getattr(c, group)[name] for c in curves])
    for r, c in enumerate(curves):
        tensors[f"reinitialised.{r}"] = c.reinitialised
    return save({name: np.ascontiguousarray(value) for name, value in tensors.items()})


def unpacked_run(data: bytes) -> Curves:
    """Return the curves of the one run that `pack` wrote; `ValueError` if they are none."""
    from safetensors import SafetensorError

    try:
        (curves,) = unpack(data)
        _check(curves)
    except (SafetensorError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"these are not the curves of a run: {error}") from None
    return curves


def _check(curves: Curves) -> None:
    """Raise unless each series is one of numbers, and as long as the others."""
    series = (curves.validation, curves.test, curves.sparsity, curves.loss)
    for values in (*series, *curves.penalties.values()):
        if values.shape != curves.steps.shape or values.dtype.kind != "f":
            raise TypeError(f"a series has shape {values.shape} and type {values.dtype}")
    for values in curves.series.values():
        if values.shape[:1] != curves.steps.shape or values.dtype.kind != "f":
            raise TypeError(f"a series has shape {values.shape} and type {values.dtype}")
    if curves.steps.ndim != 1 or not len(curves.steps) or curves.steps.dtype.kind != "i":
        raise TypeError(f"the steps have shape {curves.steps.shape} and {curves.steps.dtype}")


def unpack(data: bytes) -> list[Curves]:
    """Return the curves that `pack` wrote."""
    from safetensors.numpy import load

    tensors = load(data)
    named = {
        group: {
            name.removeprefix(f"{group}."): t
            for name, t in tensors.items()
            if name.startswith(f"{group}.")
        }
        for group in NAMED
    }
    return [
        Curves(
            steps=tensors["steps"],
            validation=tensors["validation"][r],
            test=tensors["test"][r],
            sparsity=tensors["sparsity"][r],
            loss=tensors["loss"][r],
            penalties={name: value[r] for name, value in named["penalties"].items()},
            final={name: value[r] for name, value in named["final"].items()},
            best={name: value[r] for name, value in named["best"].items()},
            diverged_at=int(diverged_at),
            reinitialised=tensors[f"reinitialised.{r}"],
            series={name: value[r] for name, value in named["series"].items()},
            arrays={name: value[r] for name, value in named["arrays"].items()},
        )
        for r, diverged_at in enumerate(tensors["diverged_at"])
    ]
