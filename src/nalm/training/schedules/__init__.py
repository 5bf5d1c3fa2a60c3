"""How the scale of a penalty and the learning rate change with the steps of training."""

from nalm.training.schedules._schedule import Schedule
from nalm.training.schedules.constant import Constant
from nalm.training.schedules.decay import Decay
from nalm.training.schedules.growth import Growth
from nalm.training.schedules.late import Late
from nalm.training.schedules.ramp import Ramp

SCHEDULES: dict[str, type[Schedule]] = {
    cls.__name__: cls for cls in (Constant, Decay, Growth, Late, Ramp)
}
"""The schedules of nalm, by the name of their class."""

__all__ = ["SCHEDULES", "Constant", "Decay", "Growth", "Late", "Ramp", "Schedule"]
