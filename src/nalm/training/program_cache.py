"""Compiled programs on disk: each is compiled once, and what is damaged is compiled anew.

A compiled program is machine code that is run as it is read. So the folder must belong to the user
and be open to nobody else, and each entry begins with a checksum of its key, of the processor it
was compiled for and of its content.
"""

import hashlib
import os
import platform
import stat
import sys
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

VARIABLE = "NALM_PROGRAMS"
"""Tells a worker where the programs are."""
CHECKED = 32
"""The bytes of the checksum."""
FORGOTTEN = 3600.0
"""Seconds after which a file that is still being written was left by a process that died."""


@cache
def program_folder() -> str | None:
    """Return where compiled programs are kept, made if it is not there; None if nowhere.

    Why they are not kept is said once.
    """
    try:
        return str(own_folder("programs"))
    except (OSError, RuntimeError) as error:
        why = f"{error}".rstrip(".")
    warnings.warn(
        f"Compiled programs are not kept: {why}. Programs are compiled each time; set "
        "XDG_CACHE_HOME to a folder of your own to keep them.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def own_folder(name: str) -> Path:
    """Return a folder for what is kept between commands, made if it is not there.

    Raises
    ------
    OSError, RuntimeError
        If there is none that can be trusted.
    """
    folder = _base() / "nalm" / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if why := _objection(folder):
        raise OSError(why)
    return folder


def _base() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    if Path(given).is_absolute():  # others are to be ignored
        return Path(given)
    home = Path.home()
    if not home.is_absolute() or not os.access(home, os.W_OK):
        raise OSError(f"the home folder {str(home)!r} cannot be written")
    return home / ".cache"


def _objection(folder: Path) -> str | None:
    """Return why a folder cannot be trusted; one that others may only read is closed to them."""
    if not hasattr(os, "geteuid"):
        return None
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return f"{str(folder)!r} is not a folder"
    if found.st_uid != os.geteuid():
        return f"the folder {str(folder)!r} belongs to another user"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"other users may write into the folder {str(folder)!r}; remove it"
    if stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
        folder.chmod(stat.S_IRWXU)
    return None


def use_programs(folder: str) -> None:
    """Let JAX keep its compiled programs in a folder, and read only those that are sound.

    A version of JAX that cannot be told to check them keeps none.
    """
    import jax
    from jax._src import compilation_cache

    if not hasattr(compilation_cache, "get_file_cache"):
        return
    programs = _with_interface(folder)
    compilation_cache.get_file_cache = lambda path: (programs, path)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_compilation_cache_dir", folder)


def _with_interface(folder: str) -> "Programs":
    from jax._src.compilation_cache_interface import CacheInterface

    return type("Programs", (Programs, CacheInterface), {})(Path(folder))


class Programs:
    """The entries of a folder, by the key that JAX gives them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder
        self._machine = machine()
        for left in folder.glob("*.part"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > FORGOTTEN:
                    left.unlink()

    def get(self, key: str) -> bytes | None:
        """Return an entry; one that is not there or damaged is compiled anew."""
        place = self._place(key)
        try:
            data = place.read_bytes()
        except OSError:
            return None
        if data[:CHECKED] == self._checksum(key, data[CHECKED:]):
            return data[CHECKED:]
        print(f"The compiled program {place} is damaged; it is compiled anew.", file=sys.stderr)
        with suppress(OSError):
            place.unlink()
        return None

    def put(self, key: str, value: bytes) -> None:
        """Keep an entry, whole or not at all."""
        beside = self._path / f"{uuid4().hex}.part"
        try:
            beside.write_bytes(self._checksum(key, value) + value)
            beside.replace(self._place(key))
        except OSError as error:
            print(f"A compiled program is not kept in {self._path}: {error}.", file=sys.stderr)
            with suppress(OSError):
                beside.unlink()

    def _place(self, key: str) -> Path:
        name = hashlib.sha256(f"{key}\n{self._machine}".encode()).hexdigest()
        return self._path / f"{name}.program"

    def _checksum(self, key: str, value: bytes) -> bytes:
        return hashlib.sha256(f"{key}\n{self._machine}\n".encode() + value).digest()


def machine() -> str:
    """Return what programs depend on of this machine: a program for another may crash here."""
    described = {platform.system(), platform.machine(), platform.processor()}
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        described |= {
            line for line in lines if line.startswith(("model name", "flags", "Features"))
        }
    return "\n".join(sorted(described))
