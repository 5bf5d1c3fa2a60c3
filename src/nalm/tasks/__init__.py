"""What is to be learnt: distributions, targets, ranges, thresholds."""

from nalm.tasks.composition import Composition as Composition
from nalm.tasks.distributions import Benford as Benford
from nalm.tasks.distributions import Exponential as Exponential
from nalm.tasks.distributions import Grid as Grid
from nalm.tasks.distributions import Halves as Halves
from nalm.tasks.distributions import InputDistribution as InputDistribution
from nalm.tasks.distributions import Joint as Joint
from nalm.tasks.distributions import Near as Near
from nalm.tasks.distributions import Sobol as Sobol
from nalm.tasks.distributions import Tied as Tied
from nalm.tasks.distributions import TruncatedNormal as TruncatedNormal
from nalm.tasks.distributions import Union as Union
from nalm.tasks.distributions import inputs_of as inputs_of
from nalm.tasks.distributions import interval as interval
from nalm.tasks.distributions import label as label
from nalm.tasks.distributions import reaches_zero as reaches_zero
from nalm.tasks.distributions import sample as sample
from nalm.tasks.ranges import RANGES as RANGES
from nalm.tasks.ranges import arithmetic_dataset as arithmetic_dataset
from nalm.tasks.ranges import composition as composition
from nalm.tasks.ranges import single_module as single_module
from nalm.tasks.task import TRUTH as TRUTH
from nalm.tasks.task import Task as Task
from nalm.tasks.threshold import AnyTask as AnyTask
from nalm.tasks.threshold import threshold as threshold
