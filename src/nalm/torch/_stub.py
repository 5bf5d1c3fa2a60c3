"""Write `__init__.pyi`: the layers as type checkers and editors see them.

The classes of `nalm.torch` are made from the registry when they are first used, which no type
checker follows. `python -m nalm.torch._stub` writes the stub anew, and a test says when to do so.
"""

import inspect
import re
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from nalm import torch
from nalm.units import REGISTRY, Unit

FILE = Path(__file__).with_name("__init__.pyi")
HEADER = '''"""The layers of `nalm.torch` for type checkers; `nalm.torch._stub` writes this file."""

from typing import Literal

from torch import device as Device
from torch import dtype as DType
'''


def stub() -> str:
    """Return the text of the stub."""
    imports = "\n".join(
        f"from nalm.torch.{_home(name)} import {name} as {name}" for name in torch.__all__
    )
    classes = sorted(REGISTRY.values(), key=lambda cls: cls.__name__)
    order = sorted(dir(torch), key=lambda name: (not name.isupper(), name[0].islower(), name))
    public = "".join(f"    {name!r},\n" for name in order)
    return f"{HEADER}\n{imports}\n\n__all__ = [\n{public}]\n" + "".join(
        f"\n{_class(cls)}" for cls in classes
    )


def _home(name: str) -> str:
    return "_layer" if name == "Layer" else "_model"


def _class(cls: type[Unit]) -> str:
    hints = get_type_hints(cls)
    given = list(inspect.signature(cls).parameters.values())
    options = [
        f"{option.name}: {_annotation(hints[option.name])} = {option.default!r}"
        for option in given[2:]
    ]
    arguments = [
        "self",
        "in_features: int",
        "out_features: int",
        "*",
        *options,
        "device: Device | str | None = None",
        "dtype: DType | None = None",
    ]
    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    listed = "".join(f"        {argument},\n" for argument in arguments)
    return (
        f'class {cls.__name__}(Layer):\n    """{summary}"""\n\n'
        f"    def __init__(\n{listed}    ) -> None: ...\n"
    )


def _annotation(hint: Any) -> str:
    """Return an annotation as it is written.

    >>> from typing import Literal
    >>> _annotation(tuple[float, float] | Literal["batch"])
    "tuple[float, float] | Literal['batch']"
    """
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(_annotation(arg) for arg in get_args(hint))
    if hint is type(None):
        return "None"
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else _plain(hint)


def _plain(hint: Any) -> str:
    return re.sub(r"\btyping\.", "", repr(hint))


if __name__ == "__main__":
    FILE.write_text(stub(), encoding="utf-8")
