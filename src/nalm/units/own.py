"""Units of a user's own, from a Python file: registered beside the published ones.

The file is the user's, given by name; nothing that is found in results or models is ever executed.
"""

import hashlib
import importlib.util
import inspect
import sys
from difflib import get_close_matches
from pathlib import Path
from traceback import format_exception_only
from types import ModuleType

from nalm.errors import InputError, NalmError
from nalm.operations import operation
from nalm.units import REGISTRY
from nalm.units._unit import Unit

SOURCES: dict[str, str] = {}
"""Where the units that are not of nalm come from, by name: `file.py:Class`."""


DECLARED = {
    "name": 'name = "my_unit"',
    "papers": "papers = ()",
    "represents": 'represents = ("add", "sub")',
    "discrete": 'discrete = {"weight": TERNARY}',
}
"""What a unit says of itself, with examples."""


def is_own(name: str) -> bool:
    """Tell whether a name says where a unit comes from: `file.py:Class`, whole or in part."""
    return ".py:" in name or name.endswith(".py") or "/" in name


def load_unit(source: str) -> type[Unit]:
    """Return the class of `file.py:Class`, registered under its name."""
    if not source:
        raise InputError("A unit of your own is FILE.py:CLASS; received ''.")
    file, colon, name = source.rpartition(":")
    if not colon or not name:
        file = source.removesuffix(":")
    path = Path(file).resolve()
    if not path.is_file():
        raise InputError(
            f"A unit of your own is FILE.py:CLASS; there is no file {str(path)!r}. Check its name, "
            "or give its whole path."
        )
    module = _module(file, path)
    units = _units_in(module)
    listed = f"Its units: {', '.join(units)}." if units else "It has no class that is a nalm.Unit."
    if not colon or not name:
        shown = units[0] if units else "CLASS"
        raise InputError(
            f"A unit of your own is FILE.py:CLASS; received {source!r} without the class. {listed} "
            f"Write {file}:{shown}."
        )
    found = getattr(module, name, None)
    if found is None:
        near = get_close_matches(name, units, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"{file!r} has no class {name!r}.{hint} {listed}")
    if not (isinstance(found, type) and issubclass(found, Unit)):
        raise InputError(
            f"{name!r} of {file!r} is no unit: a unit is a class that derives from nalm.Unit, as "
            f"CONTRIBUTING.md shows. {listed}"
        )
    return register(found, f"{path}:{name}")


def _units_in(module: ModuleType) -> list[str]:
    """Return the names of the units that a module defines."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Unit)
        and value.__module__ == module.__name__
    ]


def _module(file: str, path: Path) -> ModuleType:
    """Return the module of a file, imported once."""
    module_name = f"nalm_own_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except NalmError as error:
            del sys.modules[module_name]
            raise InputError(f"In {file!r}: {error}") from error
        except Exception as error:
            del sys.modules[module_name]
            said = "".join(format_exception_only(error)).strip()
            raise InputError(
                f"A unit of your own is in a file that can be imported; {file!r} cannot: {said}"
            ) from error
    return module


def register(cls: type[Unit], source: str | None = None) -> type[Unit]:
    """Put a unit into the registry; worker processes find it by its file."""
    if not (isinstance(cls, type) and issubclass(cls, Unit)):
        raise InputError(f"A unit is a class that derives from nalm.Unit; received {cls!r}.")
    for declared, example in DECLARED.items():
        if not hasattr(cls, declared):
            raise InputError(
                f"A unit declares {', '.join(DECLARED)}; {cls.__name__} has no {declared}. Add to "
                f"the class, for example: {example}"
            )
    if not isinstance(cls.represents, tuple | list):
        raise InputError(
            f"represents is a tuple of operations; that of {cls.__name__} is {cls.represents!r}. "
            f"Write, for example: {DECLARED['represents']}"
        )
    for op in cls.represents:
        operation(op)
    known = REGISTRY.get(cls.name)
    if known is cls:
        return cls
    if known is not None and cls.name not in SOURCES:
        raise InputError(f"There is a unit {cls.name!r} already; give yours another name.")
    if source is None:
        try:
            source = f"{inspect.getsourcefile(cls)}:{cls.__qualname__}"
        except (OSError, TypeError):
            source = ""
    if not Path(source.rpartition(":")[0]).is_file():
        raise InputError(
            f"Worker processes import {cls.__name__} from its file, and it has none. Put the class "
            "into a file and name it: FILE.py:CLASS."
        )
    if SOURCES.get(cls.name, source) != source:
        raise InputError(
            f"Two units are called {cls.name!r}: {SOURCES[cls.name]} and {source}. Give one of "
            "them another name."
        )
    REGISTRY[cls.name] = cls
    SOURCES[cls.name] = source
    return cls


def source_digest(name: str) -> str | None:
    """Return the SHA-256 of the file of a unit that is not of nalm: a change makes a new unit."""
    if name not in SOURCES:
        return None
    return hashlib.sha256(Path(SOURCES[name].rpartition(":")[0]).read_bytes()).hexdigest()
