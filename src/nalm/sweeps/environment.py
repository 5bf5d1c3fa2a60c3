"""What a result was made with: versions, and the kind of machine."""

import hashlib
import json
import platform
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self

from nalm import __version__


@dataclass(frozen=True)
class Environment:
    """Versions and machine of a process that trains."""

    nalm: str
    jax: str
    jaxlib: str
    numpy: str
    python: str
    system: str
    machine: str
    cpu: str
    """The model of the processor; empty where the system does not say."""
    torch: str = ""
    """The version of PyTorch, which trains networks that see pictures; empty if it is not there."""

    @property
    def text(self) -> str:
        """All of it as JSON, as results keep it."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what was written as JSON.

        >>> Environment.read(environment().text) == environment()
        True
        """
        return cls(**json.loads(text))

    @property
    def processor(self) -> str:
        """The kind of processor, which decides the last bits of results."""
        return f"{self.cpu} ({self.machine})" if self.cpu else self.machine


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment of this process.

    >>> environment().system in ("Linux", "Darwin", "Windows")
    True
    """
    return Environment(
        nalm=__version__,
        jax=version("jax"),
        jaxlib=version("jaxlib"),
        numpy=version("numpy"),
        python=platform.python_version(),
        system=platform.system(),
        machine=platform.machine(),
        cpu=_cpu(),
        torch=_torch(),
    )


def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


def _cpu() -> str:
    """Return the model of the processor, as Linux names it, or as the platform does."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


@dataclass(frozen=True)
class Versions:
    """What has to be the same wherever runs of one sweep are trained."""

    nalm: str
    code: str
    """A digest of the files of the package, of which a version may have several."""
    jax: str
    jaxlib: str
    numpy: str
    python: str
    """Without the last number: a bug fix of Python changes no result."""

    @classmethod
    def here(cls) -> Self:
        """Return the versions of this process.

        >>> Versions.here() == Versions.read(Versions.here().text)
        True
        """
        mine = environment()
        python = mine.python.rpartition(".")[0]
        return cls(mine.nalm, _code(), mine.jax, mine.jaxlib, mine.numpy, python)

    @property
    def text(self) -> str:
        """All of them as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what was written as JSON."""
        return cls(**json.loads(text))

    def beside(self, other: Self) -> str:
        """Return what is different of another, with both values.

        >>> here = Versions.here()
        >>> from dataclasses import replace
        >>> replace(here, jax="0.1").beside(replace(here, jax="0.2"))
        'jax 0.1 instead of 0.2'
        """
        pairs = [(f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        return ", ".join(
            f"{name} {mine} instead of {theirs}" for name, mine, theirs in pairs if mine != theirs
        )


@lru_cache(maxsize=1)
def _code() -> str:
    """Return the beginning of the digest of all files of the package."""
    top = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(p for p in top.rglob("*") if p.suffix in {".py", ".csv", ".bib"}):
        digest.update(path.relative_to(top).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
