"""The units, and all that a unit file needs.

To add a unit, write its file after the skeleton in CONTRIBUTING.md and import it here.
"""

from collections.abc import Mapping
from inspect import isabstract
from types import MappingProxyType

from nalm.errors import unknown
from nalm.formula import BINARY as BINARY
from nalm.formula import HALVES as HALVES
from nalm.formula import INTEGERS as INTEGERS
from nalm.formula import MEASURED as MEASURED
from nalm.formula import POWERS as POWERS
from nalm.formula import TERNARY as TERNARY
from nalm.formula import Discrete as Discrete
from nalm.units import ops as ops
from nalm.units._declare import Dividing as Dividing
from nalm.units._declare import DividingInside as DividingInside
from nalm.units._declare import Domain as Domain
from nalm.units._declare import Noise as Noise
from nalm.units._declare import Parameter as Parameter
from nalm.units._declare import Stochastic as Stochastic
from nalm.units._families import Additive as Additive
from nalm.units._families import Multiplicative as Multiplicative
from nalm.units._families import SingleWeight as SingleWeight
from nalm.units._options import check_names
from nalm.units._options import option as option
from nalm.units._unit import Unit as Unit
from nalm.units.gated_nau_nmu import GatedNAUNMU as GatedNAUNMU
from nalm.units.inac import IMNAC as IMNAC
from nalm.units.inac import INAC as INAC
from nalm.units.inalu import INALU as INALU
from nalm.units.initial import HALF as HALF
from nalm.units.initial import Constant as Constant
from nalm.units.initial import Normal as Normal
from nalm.units.initial import Uniform as Uniform
from nalm.units.initial import constrained_uniform as constrained_uniform
from nalm.units.initial import kaiming_uniform as kaiming_uniform
from nalm.units.initial import nac_uniform as nac_uniform
from nalm.units.initial import xavier_normal as xavier_normal
from nalm.units.initial import xavier_uniform as xavier_uniform
from nalm.units.linear import Linear as Linear
from nalm.units.mlp import MLP as MLP
from nalm.units.nac import NAC as NAC
from nalm.units.nac_mul import NACMul as NACMul
from nalm.units.nac_mul import NACMulNMU as NACMulNMU
from nalm.units.nac_mul import NACMulSigma as NACMulSigma
from nalm.units.nalu import GNALU as GNALU
from nalm.units.nalu import NALU as NALU
from nalm.units.nau import NAU as NAU
from nalm.units.nlrl import NLRL as NLRL
from nalm.units.nmru import NMRU as NMRU
from nalm.units.nmu import NMU as NMU
from nalm.units.npu import NPU as NPU
from nalm.units.nru import NRU as NRU
from nalm.units.nsr import NSR as NSR
from nalm.units.product import Product as Product
from nalm.units.quadratic import Quadratic as Quadratic
from nalm.units.real_npu import RealNPU as RealNPU
from nalm.units.snmu import SNMU as SNMU
from nalm.units.stgnmu import STGNMU as STGNMU

REGISTRY: Mapping[str, type[Unit]] = MappingProxyType(
    {
        cls.name: cls
        for cls in list(globals().values())
        if isinstance(cls, type) and issubclass(cls, Unit) and not isabstract(cls)
    }
)
"""The published units by name. It never changes; custom units are not part of it."""

__all__ = [
    "BINARY",
    "HALF",
    "HALVES",
    "INTEGERS",
    "MEASURED",
    "POWERS",
    "REGISTRY",
    "TERNARY",
    "Additive",
    "Constant",
    "Discrete",
    "Dividing",
    "Domain",
    "Multiplicative",
    "Noise",
    "Normal",
    "Parameter",
    "SingleWeight",
    "Stochastic",
    "Uniform",
    "Unit",
    "constrained_uniform",
    "kaiming_uniform",
    "nac_uniform",
    "ops",
    "option",
    "unit",
    "unit_class",
    "xavier_normal",
    "xavier_uniform",
]
__all__ += [cls.__name__ for cls in REGISTRY.values()]  # pyright: ignore[reportUnsupportedDunderAll]


def unit(name: str, in_features: int, out_features: int, **options: object) -> Unit:
    """Return the published unit of this name.

    Parameters
    ----------
    name
        A key of `nalm.units.REGISTRY`.
    in_features
        The number of inputs.
    out_features
        The number of outputs.
    **options
        The options of that unit.

    Returns
    -------
    Unit
        The unit, which holds no parameters: `init` draws them.

    Examples
    --------
    >>> unit("nmu", 3, 2)
    NMU(in_features=3, out_features=2, clamp='stored')
    >>> unit("snmu", 2, 1, noise_range="batch")
    SNMU(in_features=2, out_features=1, noise_range='batch')
    """
    cls = unit_class(name)
    check_names(cls, options)
    return cls(in_features, out_features, **options)


def unit_class(name: str) -> type[Unit]:
    """Return the class of the published unit of this name.

    Examples
    --------
    >>> unit_class("nmu").__name__
    'NMU'
    """
    if name not in REGISTRY:
        raise unknown("unit", name, REGISTRY)
    return REGISTRY[name]
