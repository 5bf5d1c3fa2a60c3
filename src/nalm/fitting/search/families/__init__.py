"""The families of formulas, in the order in which they are searched: small before large."""

from nalm.fitting.search.families.closed_forms import ClosedForms
from nalm.fitting.search.families.functions import Functions
from nalm.fitting.search.families.layers import FIRST, LAST, Layers
from nalm.fitting.search.families.products_of_sums import ProductsOfSums
from nalm.fitting.search.families.quotients import Quotients
from nalm.fitting.search.families.sparse_sums import SparseSums
from nalm.fitting.search.family import Family

FEW = 12
"""The most columns for which layers of units are searched."""
FEW_COLUMNS: tuple[Family, ...] = (ClosedForms(), SparseSums(), Quotients(settle=True))
MANY_COLUMNS: tuple[Family, ...] = (ClosedForms(), Quotients(), SparseSums(), ProductsOfSums())


def families(columns: int, functions: frozenset[str] = frozenset()) -> tuple[Family, ...]:
    """Return the families that are searched in a table of so many columns, in order.

    Functions come after the layers that find most laws of arithmetic.
    """
    if columns > FEW:
        return MANY_COLUMNS
    beyond = (Functions(functions),) if functions else ()
    return (*FEW_COLUMNS, Layers(FIRST), *beyond, Layers(LAST))
