"""One reader of bytes under atheris, in a process of its own: `guided NAME SECONDS FOLDER`."""

import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

atheris = import_module("atheris")  # an extra of none

with atheris.instrument_imports(include=["nalm", "json", "csv"]):
    from benchmarks.faults.outcomes import outcome
    from benchmarks.faults.readers import Reader, readers, train_nothing

STARTS = {
    "CSV": [b"a,b\n1,2\n3,4\n", b"a;b\n1,5;2\n", b'# x y\n1 2\n"3" 4\n'],
    "range": [b"U[1,2)->U[2,6)", b"TN(0,1)[-5,5)|B[10,100)", b"1..9 by 0.5&Exp(2)"],
}
"""Inputs to begin with, where no file is one."""


def main() -> None:
    """Fuzz for so many seconds; a failure is written into the folder and ends the process."""
    name, seconds, kept = sys.argv[1:4]
    with TemporaryDirectory() as folder:
        found = next(r for r in readers(Path(folder)) if r.name.startswith(name))
        train_nothing()
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        files = [p.read_bytes() for p in Path(folder).glob(f"{name.lower()}*") if p.is_file()]
        for k, data in enumerate(STARTS.get(name, files)):
            (corpus / str(k)).write_bytes(data)
        arguments = [
            sys.argv[0], str(corpus), f"-max_total_time={seconds}", f"-artifact_prefix={kept}/",
            "-timeout=20", "-rss_limit_mb=4096", "-max_len=4096", "-print_final_stats=1",
        ]  # fmt: skip
        atheris.Setup(arguments, lambda data: _one(found, data))
        atheris.Fuzz()


def _one(reader: Reader, data: bytes) -> None:
    value = data.decode("utf-8", "replace") if reader.name == "range" else data
    _, failure = outcome(reader.read, value, reader.seconds)
    if failure is not None:
        raise RuntimeError(f"{reader.name}: {failure}")


if __name__ == "__main__":
    main()
