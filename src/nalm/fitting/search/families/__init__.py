"""The families of formulas, in the order in which they are searched: small before large."""

from collections.abc import Sequence

from nalm.fitting.search.families.closed_forms import ClosedForms
from nalm.fitting.search.families.few_of_many import FewOfMany
from nalm.fitting.search.families.functions import Functions
from nalm.fitting.search.families.layers import FIRST, LAST, Layers
from nalm.fitting.search.families.products_of_sums import ProductsOfSums
from nalm.fitting.search.families.quotients import Quotients
from nalm.fitting.search.families.sparse_sums import SparseSums
from nalm.fitting.search.family import Family

FEW = 12
"""The most columns for which layers of units are searched."""
FEW_COLUMNS: tuple[Family, ...] = (ClosedForms(), SparseSums(), Quotients(settle=True))
MANY_COLUMNS: tuple[Family, ...] = (ClosedForms(), Quotients(), SparseSums())


def quick_families(columns: int) -> tuple[Family, ...]:
    """Return the families that come first in a table of so many columns."""
    return FEW_COLUMNS if columns <= FEW else MANY_COLUMNS


def slow_families(
    columns: int, functions: frozenset[str] = frozenset(), relevant: Sequence[int] = ()
) -> tuple[Family, ...]:
    """Return the families that follow, in order.

    Functions come after the layers that find most laws of arithmetic. Of many columns the relevant
    ones are searched like a small table.
    """
    if columns > FEW:
        inner = families(len(relevant), functions)
        few = (FewOfMany(tuple(relevant), inner),) if relevant else ()
        return (*few, ProductsOfSums())
    beyond = (Functions(functions),) if functions else ()
    return (Layers(FIRST, before_functions=bool(beyond)), *beyond, Layers(LAST))


def families(
    columns: int, functions: frozenset[str] = frozenset(), relevant: Sequence[int] = ()
) -> tuple[Family, ...]:
    """Return the families that are searched in a table of so many columns, in order."""
    return (*quick_families(columns), *slow_families(columns, functions, relevant))
