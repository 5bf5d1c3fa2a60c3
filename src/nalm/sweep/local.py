"""Carry blocks out on this machine: one worker process per core."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

from nalm.engine.frames import unpack
from nalm.engine.run import Curves, Run
from nalm.engine.worker import environment
from nalm.errors import InputError, NalmError
from nalm.specs import encode
from nalm.units.own import SOURCES

Block = Sequence[Run]
Steps = Callable[[int], None]
"""Called with the number of run-steps that were done since the last call."""


class WorkerError(NalmError, RuntimeError):
    """A worker process ended before its block did."""


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(
    blocks: Sequence[Block], workers: int | None = None, on_steps: Steps | None = None
) -> Generator[tuple[Block, list[Curves]], None, None]:
    """Yield each block with its curves as it finishes; interrupting ends the workers."""
    todo: queue.SimpleQueue[Block] = queue.SimpleQueue()
    for block in blocks:
        todo.put(block)
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    count = max(1, min(workers or cores(), len(blocks)))
    pool = [_Worker(todo, done) for _ in range(count)]
    try:
        for worker in pool:
            worker.start()
        remaining = len(blocks)
        while remaining:
            message = done.get()
            if isinstance(message, BaseException):
                raise message
            if isinstance(message, int):
                if on_steps:
                    on_steps(message)
                continue
            remaining -= 1
            yield message
    finally:
        while not todo.empty():
            todo.get()
        for worker in pool:
            worker.stop()


class _Worker(threading.Thread):
    """A thread that feeds one worker process."""

    def __init__(self, todo: queue.SimpleQueue[Block], done: queue.SimpleQueue[Any]) -> None:
        super().__init__(daemon=True)
        self.todo, self.done = todo, done
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the worker)
        self.process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Train blocks until there are none left."""
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "nalm.engine.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.log,
                env=environment(cache_folder()),
            )
            while True:
                block = self.todo.get_nowait()
                self.done.put((block, self._train(self.process, block)))
        except queue.Empty:
            pass
        except BaseException as error:
            self.done.put(error)

    def stop(self) -> None:
        """End the process and the thread; nothing is left open."""
        while self.is_alive():
            if self.process:
                self.process.kill()
            self.join(0.05)
        if self.process:
            self.process.kill()
            with self.process:
                pass  # waits, and closes the pipes
        self.log.close()

    def _train(self, process: subprocess.Popen[bytes], block: Block) -> list[Curves]:
        assert process.stdin
        assert process.stdout
        runs = [
            {
                "model": encode(run.model),
                "task": encode(run.task),
                "recipe": encode(run.recipe),
                "seed": run.seed,
            }
            for run in block
        ]
        described = {"units": list(SOURCES.values()), "runs": runs}
        try:
            process.stdin.write(json.dumps(described).encode() + b"\n")
            process.stdin.flush()
            steps = 0
            while line := process.stdout.readline():
                message = json.loads(line)
                if "error" in message:
                    raise InputError(message["error"])
                if "bytes" in message:
                    return unpack(process.stdout.read(message["bytes"]))
                self.done.put((message["done"] - steps) * len(block))
                steps = message["done"]
        except BrokenPipeError:
            pass
        self.log.seek(0)
        tail = self.log.read()[-2000:].decode(errors="replace")
        raise WorkerError(
            f"A worker ended with code {process.wait()} while it trained {block[0].model!r}. "
            f"What was finished is kept; run the same command to go on. Its last words:\n{tail}"
        )


def cache_folder() -> str | None:
    """Return where compiled programs are kept between runs; None if nothing can be written."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "nalm" / "programs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return str(folder)
