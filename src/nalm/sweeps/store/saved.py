"""Blocks on their way, as a store keeps them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm.sweeps.store.rows import RunKey, check, key_of
from nalm.sweeps.types import Note, NoteKind

LARGEST = 2**29
"""The most bytes of the state of a block; a larger one is not kept."""
BLOCKS = f"""
SELECT id, CASE WHEN length(runs) <= {LARGEST} THEN runs END,
       CASE WHEN length(state) <= {LARGEST} THEN state END, sum
FROM saved
"""


@dataclass(frozen=True)
class SavedBlock:
    """A block on its way."""

    runs: tuple[RunKey, ...]
    state: bytes
    """From which its training is continued."""


class SavedBlocks:
    """The states of blocks that were not finished."""

    def __init__(
        self,
        rows: Callable[..., Iterator[tuple[Any, ...]]],
        execute: Callable[..., Any],
        writing: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._rows, self._execute, self._writing = rows, execute, writing

    def keep(self, runs: Sequence[RunKey], state: bytes) -> None:
        """Keep the state of a block, instead of an earlier one."""
        if len(state) > LARGEST:
            return
        members = np.array([run.number for run in runs], "<i8").tobytes()
        values = (block_id(runs), members, state, check(members, state))
        with self._writing("The state of a block"):
            self._execute("INSERT OR REPLACE INTO saved VALUES (?, ?, ?, ?)", values)

    def all(self) -> tuple[list[SavedBlock], list[Note]]:
        """Return the blocks on their way, and which are damaged and start anew."""
        blocks: list[SavedBlock] = []
        notes: list[Note] = []
        for _, members, state, sum_ in self._rows(BLOCKS):
            sound = type(members) is bytes and type(state) is bytes and len(members) % 8 == 0
            if sound and sum_ == check(members, state):
                numbers = np.frombuffer(members, "<i8").tolist()
                blocks.append(SavedBlock(tuple(map(key_of, numbers)), state))
            else:
                text = "The saved state of a block was damaged; the block starts anew."
                notes.append(Note(NoteKind.DAMAGE, text))
        return blocks, notes

    def drop(self, blocks: Iterable[SavedBlock]) -> None:
        """Forget blocks that are finished, and all that are damaged."""
        kept = [block_id(block.runs) for block in self.all()[0]]
        gone = {block_id(block.runs) for block in blocks}
        stay = [id_ for id_ in kept if id_ not in gone]
        with self._writing("The state of a block"):
            marks = ", ".join("?" * len(stay))
            self._execute(f"DELETE FROM saved WHERE id NOT IN ({marks})", stay)


def block_id(runs: Sequence[RunKey]) -> int:
    """Return the number of a block: that of its runs, in any order.

    >>> block_id([RunKey(1, 0), RunKey(1, 1)]) == block_id([RunKey(1, 1), RunKey(1, 0)])
    True
    """
    numbers = np.sort(np.array([run.number for run in runs], "<i8")).tobytes()
    return int.from_bytes(check(numbers)[:7], "little")
