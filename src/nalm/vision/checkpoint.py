"""The state of a run on the way as bytes, from which its training goes on to the same bits.

The bytes are safetensors behind their SHA-256. A state that is damaged, of another run or of
another version is not read.
"""

import hashlib
import json
from importlib.metadata import version
from typing import NamedTuple

import numpy as np

from nalm.training.description import digest
from nalm.training.run import Run

FORMAT = 1
"""Another number says that the meaning of the bytes has changed."""
CHECKED = 32
"""The bytes of the checksum."""


class Checkpoint(NamedTuple):
    """A run that was trained and judged up to a step."""

    done: int
    arrays: dict[str, np.ndarray]
    """All numbers of the state, by name."""


def identity(run: Run) -> str:
    """Return the digest of a run and of what trains it."""
    made_with = {name: version(name) for name in ("nalm", "torch", "numpy")}
    described = json.dumps([FORMAT, made_with, digest(run)], sort_keys=True)
    return hashlib.sha256(described.encode()).hexdigest()


def written(run: Run, checkpoint: Checkpoint) -> bytes:
    """Return a checkpoint as bytes."""
    from safetensors.numpy import save

    described = json.dumps({"run": identity(run), "done": checkpoint.done})
    arrays = {name: np.ascontiguousarray(value) for name, value in checkpoint.arrays.items()}
    body = save(arrays, {"checkpoint": described})
    return hashlib.sha256(body).digest() + body


def read(run: Run, data: bytes) -> Checkpoint | None:
    """Return the checkpoint that bytes hold; None if they are damaged or of another run."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    body = data[CHECKED:]
    if hashlib.sha256(body).digest() != data[:CHECKED]:
        return None
    try:
        length = int.from_bytes(body[:8], "little")
        described = json.loads(json.loads(body[8 : 8 + length])["__metadata__"]["checkpoint"])
        if described["run"] != identity(run):
            return None
        return Checkpoint(described["done"], load(body))
    except (SafetensorError, KeyError, ValueError, TypeError, RecursionError):
        return None
