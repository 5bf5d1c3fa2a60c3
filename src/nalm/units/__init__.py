"""The units: one short file per family, one line here per unit.

To add a unit, write its file after the skeleton in CONTRIBUTING.md and import it here.
"""

from nalm.errors import unknown
from nalm.units._declare import Dividing as Dividing
from nalm.units._declare import DividingInside as DividingInside
from nalm.units._declare import Domain as Domain
from nalm.units._declare import Noise as Noise
from nalm.units._declare import Parameter as Parameter
from nalm.units._declare import Stochastic as Stochastic
from nalm.units._options import check_names
from nalm.units._unit import Unit as Unit
from nalm.units.gated_nau_nmu import GatedNAUNMU as GatedNAUNMU
from nalm.units.inac import IMNAC as IMNAC
from nalm.units.inac import INAC as INAC
from nalm.units.inalu import INALU as INALU
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

REGISTRY: dict[str, type[Unit]] = {
    cls.name: cls
    for cls in list(globals().values())
    if isinstance(cls, type) and issubclass(cls, Unit) and cls is not Unit
}
"""Every unit by its name."""


def unit(name: str, in_features: int, out_features: int, **options: object) -> Unit:
    """Return the unit of this name.

    >>> unit("nmu", 3, 2)
    NMU(in_features=3, out_features=2, clamp='stored')
    >>> unit("snmu", 2, 1, noise_range="batch")
    SNMU(in_features=2, out_features=1, noise_range='batch')
    """
    cls = unit_class(name)
    check_names(cls, options)
    return cls(in_features, out_features, **options)


def unit_class(name: str) -> type[Unit]:
    """Return the class of this name."""
    if name not in REGISTRY:
        raise unknown("unit", name, REGISTRY)
    return REGISTRY[name]
