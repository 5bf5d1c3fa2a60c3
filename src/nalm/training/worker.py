"""A process that trains blocks: lines of JSON in, lines about the way and the bytes of runs out.

Training runs in processes of its own, one per core, because XLA takes its threads and its fusion
from the environment at start, and because nothing a user has imported may change a result.

While it runs, it says every few seconds how much processor time it has used, so that one that is
stopped or hangs is noticed. It ends when nobody listens any more.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from nalm.training.program_cache import VARIABLE, use_programs

FLAGS = (
    "--xla_backend_extra_options=xla_cpu_use_multi_output_fusion=true"
    " --xla_cpu_prefer_vector_width=512"
)
"""Kernels with several outputs, and the widest vectors the machine has."""
ENGINE = "engine"
"""The argument of a worker that is to load the engine before its first block."""
BEAT = 2.0
"""Seconds from one sign of life to the next."""
TELL = 0.1
"""The least seconds from one number of steps to the next."""
FOREIGN = ("JAX_", "XLA_", "PYTHONWARNINGS", "PYTHONINSPECT", VARIABLE)
"""How variables begin that would change or end a worker."""


def environment(programs: str | None) -> dict[str, str]:
    """Return the environment of a worker: one thread, fused kernels, compiled programs kept."""
    changed = {
        "NPROC": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_X64": "0",
        "XLA_FLAGS": FLAGS,
        "OMP_NUM_THREADS": "1",
    }
    if programs:
        changed[VARIABLE] = programs
    return {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)} | changed


class Answers:
    """The lines and bytes that go to whoever feeds the worker; each message is whole."""

    def __init__(self, out: BinaryIO) -> None:
        self.out = out
        self.lock = threading.Lock()
        self.done, self.told = 0, time.monotonic()

    def send(self, message: Mapping[str, Any], parts: Sequence[bytes] = ()) -> None:
        """Write one line of JSON, and the bytes it speaks of."""
        with self.lock:
            self.out.write(json.dumps(message).encode() + b"\n")
            for part in parts:
                self.out.write(part)
            self.out.flush()

    def steps(self, done: int, _: Any) -> None:
        """Count the steps that are done, and tell them once in a while."""
        self.done = done
        if time.monotonic() - self.told >= TELL:
            self.tell_steps()

    def tell_steps(self) -> None:
        """Tell how many steps are done."""
        self.told = time.monotonic()
        self.send({"done": self.done})

    def save(self, state: bytes) -> None:
        """Give the state of the block on the way."""
        self.send({"saved": len(state)}, [state])

    def beat(self) -> None:
        """Give signs of life; once nobody listens, end the process."""
        while True:
            time.sleep(BEAT)
            try:
                self.send({"alive": time.process_time()})
            except OSError:
                os._exit(1)


def main() -> None:
    """Train the blocks of standard input, until it ends.

    Each is a line about its way, a line that describes it, and its state where it has one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever feeds it decides when it ends
    answers = Answers(sys.stdout.buffer)
    sys.stdout = sys.stderr  # whatever a library prints must not reach the pipe
    threading.Thread(target=answers.beat, daemon=True).start()

    if folder := os.environ.get(VARIABLE):
        use_programs(folder)
    if ENGINE in sys.argv[1:]:
        load_engine()

    from nalm.errors import NalmError
    from nalm.training.packing import pack
    from nalm.training.saving import Saving

    while line := sys.stdin.buffer.readline():
        way = json.loads(line)
        block = json.loads(sys.stdin.buffer.readline())
        state = sys.stdin.buffer.read(way["saved"])
        saving = Saving(answers.save, way["save_every"], state or None)
        try:
            runs = described(block)
            curves = runs[0].trainer.train(runs, answers.steps, saving)
        except NalmError as error:
            answers.send({"error": str(error)})
            continue
        answers.tell_steps()
        packed = [pack([run]) for run in curves]
        answers.send({"bytes": [len(data) for data in packed]}, packed)


def load_engine() -> None:
    """Load what trains blocks, while nobody asks for one yet."""
    import jax

    import nalm.training.engine.train  # noqa: F401

    jax.devices()


def described(block: Mapping[str, Any]) -> list[Any]:
    """Return the runs that a block of JSON describes."""
    from nalm._internal.custom import install
    from nalm.training.description import decode, decode_tables
    from nalm.training.run import Run

    for text in block["sources"]:
        install(text)
    tables = decode_tables(block["tables"])
    return [
        Run(decode(r["model"]), decode(r["task"], tables), decode(r["recipe"]), r["seed"])
        for r in block["runs"]
    ]


if __name__ == "__main__":
    main()
