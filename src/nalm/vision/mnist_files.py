"""Where the files of MNIST are: in a folder, in the cache, or on a server.

They are looked for in the folder that the variable NALM_DATA names, then in the cache; what is in
neither is downloaded into the cache. Every file is checked by its SHA-256 before it is used,
wherever it comes from.
"""

import gzip
import hashlib
import os
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from nalm._internal.files import is_file, write_whole
from nalm.errors import InputError

VARIABLE = "NALM_DATA"
"""The variable that names a folder with the files."""
SERVERS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)
"""Where the files are downloaded from; each has all of them, compressed."""
TIMEOUT = 30.0
PIECE = 2**18
"""Seconds without an answer, and the bytes that are read at once."""


class File(NamedTuple):
    """A file of MNIST, uncompressed."""

    size: int
    sha256: str


FILES = {
    "train-images-idx3-ubyte": File(
        47_040_016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
    ),
    "train-labels-idx1-ubyte": File(
        60_008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
    ),
    "t10k-images-idx3-ubyte": File(
        7_840_016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
    ),
    "t10k-labels-idx1-ubyte": File(
        10_008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
    ),
}
"""The four files by name."""
Report = Callable[[str, int, int], None]
"""Called while a file is downloaded, with its name, the bytes done and the bytes in all."""


def cache_folder() -> Path:
    """Return the folder where files are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "nalm" / "mnist"


def places() -> list[Path]:
    """Return the folders in which the files are looked for, in order."""
    named = os.environ.get(VARIABLE)
    return [*([Path(named)] if named else []), cache_folder()]


def mnist_files(report: Report | None = None) -> dict[str, bytes]:
    """Return the content of the four files: from the first folder that has them, or downloaded."""
    for folder in places():
        if found := files_in(folder):
            return found
    found = {name: _downloaded(name, report) for name in FILES}
    _keep(found)
    return found


def files_in(folder: Path) -> dict[str, bytes] | None:
    """Return the content of the files of a folder; None if one is missing."""
    found = {name: next(filter(is_file, _names(folder, name)), None) for name in FILES}
    if None in found.values():
        return None
    return {name: _checked(name, path) for name, path in found.items() if path is not None}


def _names(folder: Path, name: str) -> list[Path]:
    return [folder / name, folder / f"{name}.gz"]


def _checked(name: str, path: Path) -> bytes:
    """Return the content of a file that is what it should be."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    return verified(name, data, repr(str(path)))


def verified(name: str, data: bytes, where: str) -> bytes:
    """Return what a file holds, compressed or not, if that is the file of this name."""
    wanted = FILES[name]
    try:
        plain = _unpacked(data, wanted.size) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{where} is cut off or damaged: {error}. Remove it, and fetch it again."
        ) from None
    if hashlib.sha256(plain).hexdigest() != wanted.sha256:
        raise InputError(
            f"{where} is not the file {name} of MNIST: it has {len(plain):,} of {wanted.size:,} "
            "bytes, or others. Remove it, and fetch it again."
        )
    return plain


def _unpacked(data: bytes, size: int) -> bytes:
    """Return at most one byte more than there should be of what is compressed."""
    with gzip.GzipFile(fileobj=BytesIO(data)) as file:
        return file.read(size + 1)


def copy_to_cache(folder: str | Path) -> None:
    """Copy the files of MNIST into the cache, where every process finds them.

    Parameters
    ----------
    folder
        A folder with the four files, each with or without .gz.

    Raises
    ------
    nalm.errors.InputError
        If a file is missing or damaged, or the cache cannot be written.
    """
    found = files_in(Path(folder))
    if found is None:
        raise InputError(
            f"A folder of MNIST has the files {', '.join(FILES)}, each with or without .gz; "
            f"{str(folder)!r} lacks some. Name another, or write mnist to download them."
        )
    _keep(found)


def _keep(files: dict[str, bytes]) -> None:
    """Write files into the cache, each whole or not at all."""
    target = cache_folder()
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_whole(target / name, data)
    except OSError as error:
        raise InputError(
            f"The files of MNIST are kept in {str(target)!r}, which cannot be written: {error}. "
            f"Make room, or set {VARIABLE} to a folder that has them."
        ) from None


def _downloaded(name: str, report: Report | None) -> bytes:
    reasons = []
    for server in SERVERS:
        try:
            data = _fetched(f"{server}/{name}.gz", name, report)
            return verified(name, data, f"What {server} sent")
        except (OSError, InputError) as error:
            reason = getattr(error, "reason", None) or error
            reasons.append(f"{server}: {reason}")
    raise missing(f"{name} could not be downloaded ({'; '.join(reasons)}).")


def _fetched(address: str, name: str, report: Report | None) -> bytes:
    """Return what a server sends, unless it is far more than the file has."""
    most = FILES[name].size + PIECE
    with urllib.request.urlopen(address, timeout=TIMEOUT) as answer:
        total = int(answer.headers.get("Content-Length") or 0)
        data = bytearray()
        while piece := answer.read(PIECE):
            data += piece
            if len(data) > most:
                raise InputError(f"{address} sends more than {most:,} bytes.")
            if report:
                report(name, len(data), total)
    return bytes(data)


def missing(why: str) -> InputError:
    """Return the error of files that are nowhere."""
    return InputError(
        f"MNIST is the four files {', '.join(FILES)}. {why} Put them into "
        f"{str(cache_folder())!r}, or set {VARIABLE} to a folder that has them. The data set "
        "'digits' needs no download."
    )
