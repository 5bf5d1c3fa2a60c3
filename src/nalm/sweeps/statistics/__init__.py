"""Statistics of runs: no rate without its interval."""

from nalm.sweeps.statistics.algebra import Verdicts as Verdicts
from nalm.sweeps.statistics.estimate import NONE as NONE
from nalm.sweeps.statistics.estimate import UNKNOWN as UNKNOWN
from nalm.sweeps.statistics.estimate import Estimate as Estimate
from nalm.sweeps.statistics.estimate import Interval as Interval
from nalm.sweeps.statistics.estimate import Method as Method
from nalm.sweeps.statistics.estimate import known as known
from nalm.sweeps.statistics.intervals import beta_mean as beta_mean
from nalm.sweeps.statistics.intervals import gamma_mean as gamma_mean
from nalm.sweeps.statistics.intervals import median as median
from nalm.sweeps.statistics.intervals import median_interval as median_interval
from nalm.sweeps.statistics.intervals import rate as rate
from nalm.sweeps.statistics.intervals import sparsity_mean as sparsity_mean
from nalm.sweeps.statistics.intervals import student as student
from nalm.sweeps.statistics.intervals import student_mean as student_mean
from nalm.sweeps.statistics.intervals import wilson as wilson
from nalm.sweeps.statistics.outcome import RULES as RULES
from nalm.sweeps.statistics.outcome import Outcome as Outcome
from nalm.sweeps.statistics.outcome import best_evaluation as best_evaluation
from nalm.sweeps.statistics.outcome import judge as judge
from nalm.sweeps.statistics.paired import LEVEL as LEVEL
from nalm.sweeps.statistics.paired import fewest_seeds as fewest_seeds
from nalm.sweeps.statistics.paired import holm as holm
from nalm.sweeps.statistics.paired import sign_flip as sign_flip
from nalm.sweeps.statistics.verdict import Verdict as Verdict
from nalm.sweeps.statistics.verdict import verdict as verdict
