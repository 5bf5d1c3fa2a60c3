"""From discrete weights to sympy expressions, and the operations that units represent.

Expressions are built from symbols, never parsed from text, so a column may have any name.
"""

from nalm.formula.algebra import same_function as same_function
from nalm.formula.discrete import BINARY as BINARY
from nalm.formula.discrete import HALVES as HALVES
from nalm.formula.discrete import INTEGERS as INTEGERS
from nalm.formula.discrete import MEASURED as MEASURED
from nalm.formula.discrete import POWERS as POWERS
from nalm.formula.discrete import TERNARY as TERNARY
from nalm.formula.discrete import TOLERANCE as TOLERANCE
from nalm.formula.discrete import Discrete as Discrete
from nalm.formula.expressions import enlarged as enlarged
from nalm.formula.expressions import inputs as inputs
from nalm.formula.expressions import linear as linear
from nalm.formula.expressions import magnitude as magnitude
from nalm.formula.expressions import monomial as monomial
from nalm.formula.expressions import opposite as opposite
from nalm.formula.expressions import relation as relation
from nalm.formula.printing import is_plain as is_plain
from nalm.formula.printing import latex as latex
from nalm.formula.reading import Reader as Reader
from nalm.formula.reading import samples as samples
