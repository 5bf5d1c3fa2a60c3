"""The state of a block on the way, as bytes from which its training goes on to the same bits.

A block is saved at its evaluations only, so one without evaluations on the way is never saved. The
bytes are safetensors behind their SHA-256: a state that is damaged, of another block or of another
version is not read.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from nalm.training.description import digest
from nalm.training.engine.reinitialize import History
from nalm.training.engine.state import Record, State
from nalm.training.run import Run

FORMAT = 2
"""Another number says that the meaning of the bytes has changed."""
CHECKED = 32
"""The bytes of the checksum."""


@dataclass(frozen=True)
class Stage:
    """A block that was trained up to an evaluation, which is still to be made."""

    done: int
    """How many steps are done."""
    state: State
    records: list[Record]
    """Every evaluation so far, of the fittest member of each run."""
    lowest: np.ndarray
    """(runs,): the smallest validation error so far."""
    best: np.ndarray
    """(parameters, runs): the weights at that error."""
    histories: list[History]


@dataclass(frozen=True)
class Form:
    """What the stages of one block have in common: whose they are, and their shapes."""

    runs: Sequence[Run]
    histories: int
    """How many runs there are with padding."""
    initial: State

    @cached_property
    def identity(self) -> str:
        """Return the digest of the runs and of what trains them."""
        made_with = {name: version(name) for name in ("nalm", "jax", "jaxlib", "numpy", "optax")}
        described = [FORMAT, made_with, self.histories, [digest(run) for run in self.runs]]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def written(self, stage: Stage) -> bytes:
        """Return a stage as bytes."""
        from safetensors.numpy import save

        arrays = {f"state.{i}": leaf for i, leaf in enumerate(jax.tree.leaves(stage.state))}
        for name in Record._fields:
            arrays[f"records.{name}"] = np.stack([getattr(r, name) for r in stage.records])
        arrays |= {"lowest": stage.lowest, "best": stage.best}
        for name, kind in HISTORY.items():
            lists = [getattr(history, name) for history in stage.histories]
            arrays[f"{name}.count"] = np.array([len(items) for items in lists])
            arrays[name] = np.array([item for items in lists for item in items], kind)
        described = json.dumps({"block": self.identity, "done": stage.done})
        metadata = {"stage": described}  # one entry, since safetensors shuffles several
        body = save({name: _plain(value) for name, value in arrays.items()}, metadata)
        return hashlib.sha256(body).digest() + body

    def read(self, data: bytes) -> Stage | None:
        """Return the stage that bytes hold; None if they are damaged or of another block."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        body = data[CHECKED:]
        if hashlib.sha256(body).digest() != data[:CHECKED]:
            return None
        try:
            length = int.from_bytes(body[:8], "little")
            described = json.loads(json.loads(body[8 : 8 + length])["__metadata__"]["stage"])
            if described["block"] != self.identity:
                return None
            return self._stage(described["done"], load(body))
        except (SafetensorError, KeyError, ValueError, TypeError, RecursionError):
            return None

    def _stage(self, done: int, arrays: dict[str, np.ndarray]) -> Stage | None:
        recipe = self.runs[0].recipe
        if not 0 < done < recipe.steps or done % recipe.log_every:
            return None
        leaves, tree = jax.tree.flatten(self.initial)
        found = [_like(leaf, arrays[f"state.{i}"]) for i, leaf in enumerate(leaves)]
        count, size = done // recipe.log_every, self.histories
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(Record._fields, (count, size))
        shapes["penalties"] = (count, len(recipe.penalties), size)
        columns = [_shaped(arrays[f"records.{name}"], shape) for name, shape in shapes.items()]
        return Stage(
            done,
            jax.tree.unflatten(tree, found),
            [Record(*each) for each in zip(*columns, strict=True)],
            _shaped(arrays["lowest"], (size,)),
            _shaped(arrays["best"], (self.initial.weights.shape[0], size)),
            self._histories(arrays),
        )

    def _histories(self, arrays: dict[str, np.ndarray]) -> list[History]:
        lists = {}
        for name in HISTORY:
            ends = np.cumsum(_shaped(arrays[f"{name}.count"], (self.histories,)))
            lists[name] = [part.tolist() for part in np.split(arrays[name], ends)[:-1]]
        rule = self.runs[0].recipe.reinitialize
        return [
            History(rule, *each) for each in zip(*(lists[name] for name in HISTORY), strict=True)
        ]


HISTORY: dict[str, type] = {"errors": float, "counts": int, "redrawn": int}
"""The lists of a history, in its order, and what they hold."""


def _plain(value: Any) -> np.ndarray:
    """Return an array as safetensors takes it: kinds that NumPy does not have as whole numbers."""
    array = np.asarray(value)
    plain = array.view(f"u{array.itemsize}") if array.dtype.isbuiltin == 2 else array
    return plain if plain.flags.c_contiguous else plain.copy()


def _like(leaf: jax.Array, found: np.ndarray) -> jax.Array:
    """Return a stored leaf with the kind of another, whose shape it must have."""
    kind = np.dtype(leaf.dtype)
    if _plain(np.empty(0, kind)).dtype != found.dtype:
        raise ValueError("The kinds of the numbers differ.")
    return jnp.array(_shaped(found, leaf.shape).view(kind))


def _shaped(found: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if found.shape != shape:
        raise ValueError("The shapes differ.")
    return found
