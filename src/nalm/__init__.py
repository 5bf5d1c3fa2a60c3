"""Neural arithmetic: units that learn exact, readable formulas.

Everything public is a name of this package and is loaded when first used, so that
`import nalm` is quick and needs neither JAX nor PyTorch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nalm import equinox as equinox
    from nalm import errors as errors
    from nalm import experiments as experiments
    from nalm import flax as flax
    from nalm import formula as formula
    from nalm import keras as keras
    from nalm import networks as networks
    from nalm import plots as plots
    from nalm import tasks as tasks
    from nalm import torch as torch
    from nalm import training as training
    from nalm import units as units
    from nalm import vision as vision
    from nalm._internal.progress import SearchProgress as SearchProgress
    from nalm._internal.progress import SweepProgress as SweepProgress
    from nalm.experiments.bench import bench as bench
    from nalm.fitting import Law as Law
    from nalm.fitting import fit as fit
    from nalm.fitting import fit_each as fit_each
    from nalm.fitting.regressor import ArithmeticRegressor as ArithmeticRegressor
    from nalm.formula import latex as latex
    from nalm.networks import Stack as Stack
    from nalm.networks.references import citation as citation
    from nalm.networks.saving import load as load
    from nalm.networks.saving import save as save
    from nalm.report import write_report as write_report
    from nalm.sweeps.executors import Dask as Dask
    from nalm.sweeps.executors import Local as Local
    from nalm.sweeps.results import Results as Results
    from nalm.sweeps.train import train as train
    from nalm.training import Recipe as Recipe
    from nalm.units import Unit as Unit
    from nalm.units import unit as unit

__version__ = "0.2.0"

_MODULES = {
    "equinox",
    "errors",
    "experiments",
    "flax",
    "formula",
    "keras",
    "networks",
    "plots",
    "tasks",
    "torch",
    "training",
    "units",
    "vision",
}
_HOMES = {
    "ArithmeticRegressor": "nalm.fitting.regressor",
    "Dask": "nalm.sweeps.executors",
    "Law": "nalm.fitting",
    "Local": "nalm.sweeps.executors",
    "Recipe": "nalm.training",
    "Results": "nalm.sweeps.results",
    "SearchProgress": "nalm._internal.progress",
    "SweepProgress": "nalm._internal.progress",
    "fit": "nalm.fitting",
    "fit_each": "nalm.fitting",
    "Stack": "nalm.networks",
    "bench": "nalm.experiments.bench",
    "Unit": "nalm.units",
    "citation": "nalm.networks.references",
    "latex": "nalm.formula",
    "load": "nalm.networks.saving",
    "save": "nalm.networks.saving",
    "train": "nalm.sweeps.train",
    "unit": "nalm.units",
    "write_report": "nalm.report",
}
_EXTRAS = {"sklearn": "scikit-learn", "torch": "PyTorch"}
"""What can be missing, by the name of its package, which is that of the extra."""
__all__ = [
    "ArithmeticRegressor",
    "Dask",
    "Law",
    "Local",
    "Recipe",
    "Results",
    "SearchProgress",
    "Stack",
    "SweepProgress",
    "Unit",
    "bench",
    "citation",
    "equinox",
    "errors",
    "experiments",
    "fit",
    "fit_each",
    "flax",
    "formula",
    "keras",
    "latex",
    "load",
    "networks",
    "plots",
    "save",
    "tasks",
    "torch",
    "train",
    "training",
    "unit",
    "units",
    "vision",
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
