"""From a table of numbers to the exact formula.

The walk: `fit` takes a table (`inputs`), holds rows out (`rows`), searches families of formulas
from small to large (`search`), makes the numbers of what it finds exact and verifies it
(`evidence`), and returns a `Law` (`law`). A formula is a tree (`tree`).
"""

from nalm.fitting.constants import Constant as Constant
from nalm.fitting.evidence.outliers import Outlier as Outlier
from nalm.fitting.fit import fit as fit
from nalm.fitting.fit_each import fit_each as fit_each
from nalm.fitting.law import Alternative as Alternative
from nalm.fitting.law import Law as Law
