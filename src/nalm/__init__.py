"""Neural arithmetic: units that learn exact, readable formulas.

Everything public is a name of this package and is loaded when first used, so that
`import nalm` is quick and needs neither JAX nor PyTorch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nalm import errors as errors
    from nalm import networks as networks
    from nalm import torch as torch
    from nalm import units as units
    from nalm.benchmark import bench as bench
    from nalm.engine.recipe import Decay as Decay
    from nalm.engine.recipe import Growth as Growth
    from nalm.engine.recipe import Late as Late
    from nalm.engine.recipe import Ramp as Ramp
    from nalm.engine.recipe import Recipe as Recipe
    from nalm.engine.recipe import Reinitialise as Reinitialise
    from nalm.engine.recipe import Snap as Snap
    from nalm.fitting import Law as Law
    from nalm.fitting import fit as fit
    from nalm.fitting.regressor import ArithmeticRegressor as ArithmeticRegressor
    from nalm.formula import latex as latex
    from nalm.networks import Stack as Stack
    from nalm.references import citation as citation
    from nalm.report import write_report as write_report
    from nalm.saving import load as load
    from nalm.saving import save as save
    from nalm.units import Unit as Unit
    from nalm.units import unit as unit

__version__ = "0.1.0"

_MODULES = {"errors", "networks", "torch", "units"}
_HOMES = {
    "ArithmeticRegressor": "nalm.fitting.regressor",
    "Decay": "nalm.engine.recipe",
    "Growth": "nalm.engine.recipe",
    "Late": "nalm.engine.recipe",
    "Law": "nalm.fitting",
    "Ramp": "nalm.engine.recipe",
    "Recipe": "nalm.engine.recipe",
    "Reinitialise": "nalm.engine.recipe",
    "Snap": "nalm.engine.recipe",
    "fit": "nalm.fitting",
    "Stack": "nalm.networks",
    "bench": "nalm.benchmark",
    "Unit": "nalm.units",
    "citation": "nalm.references",
    "latex": "nalm.formula",
    "load": "nalm.saving",
    "save": "nalm.saving",
    "unit": "nalm.units",
    "write_report": "nalm.report",
}
_EXTRAS = {"sklearn": "scikit-learn", "torch": "PyTorch"}
"""What can be missing, by the name of its package, which is that of the extra."""
__all__ = [
    "ArithmeticRegressor",
    "Decay",
    "Growth",
    "Late",
    "Law",
    "Ramp",
    "Recipe",
    "Reinitialise",
    "Snap",
    "Stack",
    "Unit",
    "bench",
    "citation",
    "errors",
    "fit",
    "latex",
    "load",
    "networks",
    "save",
    "torch",
    "unit",
    "units",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES and name not in _HOMES:
        raise AttributeError(f"module 'nalm' has no attribute {name!r}")
    try:
        home = import_module(_HOMES.get(name, f"nalm.{name}"))
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        needed = f"{_EXTRAS[error.name]}: pip install 'nalm[{error.name}]'"
        raise ImportError(f"nalm.{name} needs {needed}") from None
    return home if name in _MODULES else getattr(home, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
