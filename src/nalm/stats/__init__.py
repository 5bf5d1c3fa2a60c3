"""Statistics of runs: no rate without its interval."""

from nalm.stats.algebra import Verdicts as Verdicts
from nalm.stats.algebra import same_function as same_function
from nalm.stats.intervals import Estimate as Estimate
from nalm.stats.intervals import Interval as Interval
from nalm.stats.intervals import beta_mean as beta_mean
from nalm.stats.intervals import gamma_mean as gamma_mean
from nalm.stats.intervals import median_interval as median_interval
from nalm.stats.intervals import sparsity_mean as sparsity_mean
from nalm.stats.intervals import wilson as wilson
from nalm.stats.outcome import Outcome as Outcome
from nalm.stats.outcome import judge as judge
from nalm.stats.verdict import Verdict as Verdict
from nalm.stats.verdict import verdict as verdict
