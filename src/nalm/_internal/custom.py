"""Custom classes: units, distributions and others that are not part of nalm.

Worker processes do not have them, so they travel as source text. A description (JSON) of a custom
object carries the name of its class and the digest of that text; `texts_in` finds the texts that
descriptions need, `install` executes a text in a worker, and `find` returns the class. A changed
source has another digest, so versions of a class never mix.

Only classes that someone defined or named in this process are ever found. A digest or a text that
stands in a stored file is looked up, never executed.
"""

import hashlib
import linecache
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from traceback import format_exception_only
from types import ModuleType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from nalm._internal.files import is_file
from nalm._internal.gather import Gathered, gather
from nalm.errors import InputError, NalmError, UnknownNameError

T = TypeVar("T")


@dataclass(frozen=True)
class CustomSource:
    """A text that defines a class, and the name of the class in it."""

    name: str
    text: str
    digest: str


_texts: dict[str, str] = {}
"""Every text of this process by its digest."""
_modules: dict[str, str] = {}
"""The digest of the text that each module was made from, by the name of the module."""
_classes: dict[tuple[str, str], type] = {}
"""The classes of this process by digest and name."""
_gathered: WeakKeyDictionary[type, Gathered] = WeakKeyDictionary()


def is_custom(cls: type) -> bool:
    """Tell whether a class is not part of nalm.

    >>> from nalm.units import NMU
    >>> is_custom(NMU), is_custom(type("Mine", (NMU,), {}))
    (False, True)
    """
    return cls.__module__.partition(".")[0] != "nalm"


def names_file(text: str) -> bool:
    """Tell whether a text names a class in a file, `FILE.py:CLASS`, wholly or in part.

    >>> names_file("mine.py:Mine"), names_file("nmu")
    (True, False)
    """
    return ".py:" in text or text.endswith(".py") or "/" in text


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def source_of(cls: type) -> CustomSource:
    """Return the source of a custom class; `find` knows the class from now on.

    The source of a class from a file is the file as it was when it was read. The source of any
    other class is gathered from where it was defined.
    """
    if cls.__module__ in _modules:
        digest, name = _modules[cls.__module__], cls.__qualname__
    else:
        known = _gathered.get(cls)
        if known is None or not known.is_current():
            known = _gathered[cls] = gather(cls)
        digest, name = digest_of(known.text), cls.__name__
        _texts[digest] = known.text
    _classes[digest, name] = cls
    return CustomSource(name, _texts[digest], digest)


def find(digest: str, name: str, kind: str = "class") -> type:
    """Return the class of this name in the text with this digest, if this process has it."""
    known = _classes.get((digest, name))
    if known is None and digest in _texts:
        known = _attribute(sys.modules.get(_module_name(digest)), name)
    if known is not None:
        return known
    if any(other == name for _, other in _classes):
        raise UnknownNameError(
            f"The custom {kind} {name} has changed: version {digest[:12]} of its source is not "
            "the one that is defined here. Define it as it was."
        )
    raise UnknownNameError(
        f"The custom {kind} {name} is not known here. Give its class, custom=[{name}], or its "
        "file, FILE.py:CLASS."
    )


def texts_in(described: Any) -> list[str]:
    """Return the texts that descriptions refer to by `"source": digest`, each once."""
    return [_texts[digest] for digest in dict.fromkeys(_digests(described)) if digest in _texts]


def _digests(described: Any) -> Iterator[str]:
    if isinstance(described, dict):
        if isinstance(source := described.get("source"), str):
            yield source
        for item in described.values():
            yield from _digests(item)
    elif isinstance(described, list | tuple):
        for item in described:
            yield from _digests(item)


def install(text: str) -> str:
    r"""Execute a text, once; `find` knows its classes by the digest that is returned.

    >>> digest = install("class Half:\n    value = 0.5")
    >>> find(digest, "Half").value
    0.5
    """
    digest = digest_of(text)
    if _module_name(digest) not in sys.modules:
        try:
            _execute(text, f"<custom {digest[:12]}>")
        except Exception as error:
            message = "".join(format_exception_only(error)).strip()
            raise InputError(
                f"A custom class cannot be defined again from its source alone: {message}. Put it "
                "with all it needs into a file and give it as FILE.py:CLASS."
            ) from error
    return digest


def load(where: str, base: type[T], kind: str) -> type[T]:
    """Return the class that `FILE.py:CLASS` names; the file is read once for each version.

    Parameters
    ----------
    where
        The file and the class.
    base
        What the class must derive from.
    kind
        What the class is, for messages: "unit", "distribution".
    """
    rule = f"A custom {kind} is FILE.py:CLASS"
    if not where:
        raise InputError(f"{rule}; received ''.")
    file, colon, name = where.rpartition(":")
    if not colon or not name:
        file = where.removesuffix(":")
    path = Path(file).resolve() if is_file(file) else Path(file).absolute()
    if not is_file(path):
        raise InputError(
            f"{rule}; there is no file {str(path)!r}. Check its name, or give its whole path."
        )
    module = _import(file, path, kind)
    found = _classes_in(module, base)
    listed = f"Its {kind}s: {', '.join(found)}." if found else f"It has no class that is a {kind}."
    if not colon or not name:
        raise InputError(
            f"{rule}; received {where!r} without the class. {listed} "
            f"Write {file}:{found[0] if found else 'CLASS'}."
        )
    cls = _attribute(module, name)
    if cls is None:
        near = get_close_matches(name, found, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"{file!r} has no class {name!r}.{hint} {listed}")
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise InputError(
            f"{name!r} of {file!r} is no {kind}: a {kind} is a class that derives from "
            f"{base.__name__}. {listed}"
        )
    return cls


def load_object(where: str, base: type[T], kind: str) -> T:
    """Return the object that `FILE.py:NAME` names; the file is read once for each version.

    Parameters
    ----------
    where
        The file and the name.
    base
        The class of the object.
    kind
        What the object is, for messages: "experiment".
    """
    rule = f"A custom {kind} is FILE.py:NAME"
    file, colon, name = where.rpartition(":")
    if not colon or not name:
        file, name = where.removesuffix(":"), ""
    path = Path(file).resolve() if is_file(file) else Path(file).absolute()
    if not is_file(path):
        raise InputError(
            f"{rule}; there is no file {str(path)!r}. Check its name, or give its whole path."
        )
    module = _import(file, path, kind)
    found = [key for key, value in vars(module).items() if isinstance(value, base)]
    listed = f"Its {kind}s: {', '.join(found)}." if found else f"It has no {kind}."
    if not name:
        raise InputError(f"{rule}; received {where!r} without the name. {listed}")
    value = _attribute(module, name)
    if not isinstance(value, base):
        near = get_close_matches(name, found, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"{file!r} has no {kind} {name!r}.{hint} {listed}")
    return value


def _import(file: str, path: Path, kind: str) -> ModuleType:
    """Return the module of a file as it is now."""
    if path.suffix != ".py":
        raise InputError(f"A file of Python has a name that ends in .py; received {file!r}.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"A file of Python is text in UTF-8; {file!r} is not.") from None
    module = sys.modules.get(_module_name(digest_of(text)))
    if module is not None:
        return module
    try:
        return _execute(text, str(path))
    except NalmError as error:
        raise InputError(f"In {file!r}: {error}") from error
    except Exception as error:
        message = "".join(format_exception_only(error)).strip()
        raise InputError(
            f"A custom {kind} is in a file that can be imported; {file!r} cannot: {message}"
            f"{_advice(error, path)}"
        ) from error


def _advice(error: Exception, path: Path) -> str:
    """Return how a file is found that lies beside the one that imports it; else nothing."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is None or not path.with_name(f"{missing.partition('.')[0]}.py").exists():
        return ""
    return f". Files beside it are found with PYTHONPATH={str(path.parent)!r}, or put both in one."


def _execute(text: str, file: str) -> ModuleType:
    """Return the module that a text makes; it is registered only if nothing fails."""
    digest = digest_of(text)
    name = _module_name(digest)
    module = ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    sys.modules[name] = module  # dataclasses look up annotations there
    try:
        exec(compile(text, file, "exec"), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    _texts[digest] = text
    _modules[name] = digest
    return module


def _module_name(digest: str) -> str:
    return f"nalm_custom_{digest[:24]}"


def _classes_in(module: ModuleType, base: type) -> list[str]:
    """Return the names of the classes that a module defines and that derive from a base."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, base)
        and value.__module__ == module.__name__
    ]


def _attribute(module: Any, path: str) -> Any:
    """Return what a qualified name means in a module; None if it means nothing."""
    if not re.fullmatch(r"\w+(\.\w+)*", path):
        return None
    for part in path.split("."):
        module = getattr(module, part, None)
    return module
