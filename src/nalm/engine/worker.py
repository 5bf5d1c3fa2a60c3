"""A process that trains blocks: one line of JSON in, progress lines and one frame of bytes out.

Training runs in processes of its own, one per core, because XLA takes its threads and its fusion
from the environment at start, and because nothing a user has imported may change a result.
"""

import json
import os
import sys
from typing import Any, BinaryIO

FLAGS = (
    "--xla_backend_extra_options=xla_cpu_use_multi_output_fusion=true"
    " --xla_cpu_prefer_vector_width=512"
)
"""Kernels with several outputs, and the widest vectors the machine has."""


def environment(cache: str | None) -> dict[str, str]:
    """Return the environment of a worker: one thread, fused kernels, compiled programs kept."""
    changed = {
        "NPROC": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_X64": "0",
        "XLA_FLAGS": FLAGS,
        "OMP_NUM_THREADS": "1",
    }
    if cache:
        changed |= {
            "JAX_COMPILATION_CACHE_DIR": cache,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        }
    return os.environ | changed


def main() -> None:
    """Train the block of each line of standard input, until it ends."""
    from nalm.engine.frames import pack
    from nalm.engine.run import Run
    from nalm.engine.train import train_block
    from nalm.errors import NalmError
    from nalm.specs import decode
    from nalm.units.own import load_unit

    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever a library prints must not reach the pipe
    for line in sys.stdin:
        block = json.loads(line)
        try:
            for source in block["units"]:
                load_unit(source)
            runs = [
                Run(decode(r["model"]), decode(r["task"]), decode(r["recipe"]), r["seed"])
                for r in block["runs"]
            ]
            curves = train_block(runs, lambda done, _: send(out, {"done": done}))
        except NalmError as error:
            send(out, {"error": str(error)})
            continue
        data = pack(curves)
        send(out, {"bytes": len(data)})
        out.write(data)
        out.flush()


def send(out: BinaryIO, message: dict[str, Any]) -> None:
    """Write one line of JSON."""
    out.write(json.dumps(message).encode() + b"\n")
    out.flush()


if __name__ == "__main__":
    main()
