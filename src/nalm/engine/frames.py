"""The results of a block as bytes, for pipes and files: safetensors, nothing that can run code."""

from collections.abc import Sequence

import numpy as np

from nalm.engine.run import Curves

SERIES = ("validation", "test", "sparsity")


def pack(curves: Sequence[Curves]) -> bytes:
    """Return the curves of several runs of one program as bytes."""
    from safetensors.numpy import save

    tensors = {"steps": curves[0].steps, "diverged_at": np.array([c.diverged_at for c in curves])}
    for name in SERIES:
        tensors[name] = np.stack([getattr(c, name) for c in curves])
    for end in ("final", "best"):
        for name in curves[0].final:
            tensors[f"{end}.{name}"] = np.stack([getattr(c, end)[name] for c in curves])
    return save({name: np.ascontiguousarray(value) for name, value in tensors.items()})


def unpack(data: bytes) -> list[Curves]:
    """Return the curves that `pack` wrote."""
    from safetensors.numpy import load

    tensors = load(data)
    ends = {
        end: {
            name.removeprefix(f"{end}."): t for name, t in tensors.items() if name.startswith(end)
        }
        for end in ("final", "best")
    }
    return [
        Curves(
            steps=tensors["steps"],
            validation=tensors["validation"][r],
            test=tensors["test"][r],
            sparsity=tensors["sparsity"][r],
            final={name: value[r] for name, value in ends["final"].items()},
            best={name: value[r] for name, value in ends["best"].items()},
            diverged_at=int(diverged_at),
        )
        for r, diverged_at in enumerate(tensors["diverged_at"])
    ]
