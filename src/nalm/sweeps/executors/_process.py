"""A process that trains blocks, seen from the one that feeds it.

Every executor trains through it, on this machine or another: the environment of the process is
part of what makes results the same everywhere.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from nalm._internal.custom import texts_in
from nalm.errors import InputError, WorkerError
from nalm.sweeps.executors._executor import Block, Order
from nalm.sweeps.executors._silence import Silence
from nalm.training.description import encode, encode_tables
from nalm.training.program_cache import program_folder
from nalm.training.worker import ENGINE, environment

LAST = 5
"""How many lines of the output of a worker are shown."""
OF_JAX = re.compile("JAX has removed|JAX-internal|JAX_TRACEBACK_FILTERING")
"""What JAX adds to a traceback about itself."""


class Request(NamedTuple):
    """An order as it travels to a worker: plain values, nothing that needs this process."""

    described: bytes
    """The block as one line of JSON: its runs, their tables and the custom code they need."""
    runs: int
    """How many runs the block has."""
    model: str
    """The model of its first run, for messages."""
    custom: bool
    """Whether it needs custom code."""
    saved: bytes | None
    """The state from which it continues."""


class BlockWatch(Protocol):
    """What is told about one block on the way."""

    def steps(self, count: int) -> None:
        """Take the number of training steps, over all runs, that were done since the last call."""
        ...

    def saved(self, state: bytes) -> None:
        """Take the state of the block, from which its training can be continued."""
        ...


def request(order: Order) -> Request:
    """Return an order as plain values."""
    block = order.block
    described = describe(block)
    return Request(
        json.dumps(described).encode(),
        len(block),
        repr(block[0].model),
        bool(described["sources"]),
        order.saved,
    )


def describe(block: Block) -> dict[str, Any]:
    """Return a block as JSON: its runs, the tables they draw from and the custom code they need."""
    runs = [
        {
            "model": encode(run.model),
            "task": encode(run.task),
            "recipe": encode(run.recipe),
            "seed": run.seed,
        }
        for run in block
    ]
    tables: dict[str, Any] = {}
    for run in block:
        tables |= run.task.tables()
    return {"sources": texts_in(runs), "tables": encode_tables(tables), "runs": runs}


@dataclass(frozen=True)
class Care:
    """How worker processes are looked after.

    Parameters
    ----------
    save_every
        The least seconds of training from one saved state of a block to the next.
    silence
        The seconds without a sign of life after which a worker is ended.
    attempts
        How often a block is begun whose worker dies.
    """

    save_every: float = 60.0
    silence: float = 60.0
    attempts: int = 3


class WorkerProcess:
    """A running worker: blocks in, the bytes of each run out.

    A fresh one takes no program that was compiled before. One that is `early` has no block yet, and
    loads the engine meanwhile.
    """

    def __init__(
        self, care: Care | None = None, *, fresh: bool = False, early: bool = False
    ) -> None:
        self._care = care or Care()
        self._programs = None if fresh else program_folder()
        try:
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "nalm.training.worker", *[ENGINE] * early],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment(self._programs),
            )
        except OSError as error:
            raise WorkerError(f"A worker cannot be started: {error}.", final=True) from None
        self._silence = Silence(self._care.silence, self._process.kill)

    def train(self, order: Request, watch: BlockWatch) -> list[bytes]:
        """Train a block, and return the curves of each run; raise if the process ends before."""
        assert self._process.stdin
        saved = order.saved or b""
        way = {"save_every": self._care.save_every, "saved": len(saved)}
        asked = [json.dumps(way).encode(), order.described, saved]
        try:
            with self._silence.noticed():
                self._process.stdin.write(b"\n".join(asked))
                self._process.stdin.flush()
                return self._answer(order.runs, watch)
        except (BrokenPipeError, EOFError):
            code = self._process.wait()
        self._log.seek(0)
        end = End(code, silent=self._silence.broken, custom=order.custom)
        raise end.error(order.model, self._log.read().decode(errors="replace"))

    def _answer(self, runs: int, watch: BlockWatch) -> list[bytes]:
        """Return the curves of each run, and pass on what is said before they are there."""
        steps = 0
        while True:
            message = self._message()
            if "error" in message:
                raise InputError(message["error"])
            if "bytes" in message:
                return [self._bytes(length) for length in message["bytes"]]
            if "saved" in message:
                watch.saved(self._bytes(message["saved"]))
            elif "done" in message:
                watch.steps((message["done"] - steps) * runs)
                steps = message["done"]

    def _message(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        message = json.loads(line)
        self._silence.heard(message.get("alive"))
        return message

    def _bytes(self, length: int) -> bytes:
        assert self._process.stdout
        data = self._process.stdout.read(length)
        if len(data) < length:
            raise EOFError
        return data

    def kill(self) -> None:
        """End the process at once, from any thread; whoever waits for it is told."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and close what it had open."""
        self._silence.close()
        self._process.kill()
        with suppress(BrokenPipeError), self._process:
            pass  # waits, and closes the pipes
        self._log.close()


@dataclass(frozen=True)
class End:
    """How a worker ended before its block did."""

    code: int
    silent: bool
    """Whether it was ended because it gave no sign of life."""
    custom: bool
    """Whether it ran code of the user's."""

    def error(self, model: str, log: str) -> WorkerError:
        """Return what is said of it, with its last output."""
        wrong = self.custom and self.code > 0
        how = "gave no sign of life" if self.silent else f"ended with code {self.code}"
        fix = "Run the same command to go on"
        if wrong:
            fix = "Correct your class, then run the same command"
        elif self.code == -signal.SIGKILL and not self.silent:
            fix = (
                "The system ends processes so when memory is short: run the same command with "
                "fewer workers to go on"
            )
        lines = [line for line in log.splitlines() if line.strip("- ") and not OF_JAX.search(line)]
        tail = "\n".join(lines[-LAST:])
        output = f" Its last output:\n{tail}" if tail else ""
        said = f"A worker {how} while it trained {model}. {fix}; what was finished is kept.{output}"
        return WorkerError(said, final=wrong)
