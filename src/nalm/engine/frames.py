"""The results of a block as bytes, for pipes and files: safetensors, nothing that can run code."""

from collections.abc import Sequence

import numpy as np

from nalm.engine.run import Curves

SERIES = ("validation", "test", "sparsity", "loss")
NAMED = ("penalties", "final", "best")


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
        )
        for r, diverged_at in enumerate(tensors["diverged_at"])
    ]
