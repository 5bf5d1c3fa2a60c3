"""The formulas that a search starts from, as the user passes them."""

from collections.abc import Iterator, Sequence
from typing import Any

from nalm.errors import InputError
from nalm.fitting.form.form import formula_of
from nalm.fitting.law import Law
from nalm.fitting.named_formula import NamedFormula
from nalm.fitting.tree import Column, Tree, columns_of


def formulas_to_start_from(given: Any, names: Sequence[str]) -> tuple[Tree, ...]:
    """Return formulas of columns with these names: of laws, texts and sympy expressions."""
    if given is None:
        return ()
    listed = given if isinstance(given, list | tuple) else [given]
    return tuple(tree for one in listed for tree in _trees(one, names))


def _trees(given: Any, names: Sequence[str]) -> Iterator[Tree]:
    if not isinstance(given, NamedFormula):
        yield formula_of(given, names)
        return
    yield _renamed(given, names)
    if isinstance(given, Law):
        yield from (_renamed(alternative, names) for alternative in given.alternatives)


def _renamed(formula: NamedFormula, names: Sequence[str]) -> Tree:
    """Return a formula of the columns of the same names."""
    used = columns_of(formula.tree)
    missing = [formula.names[i] for i in sorted(used) if formula.names[i] not in names]
    if missing:
        raise InputError(
            f"A law to start from is of columns of X; it uses {missing[0]!r}, and X has "
            f"{', '.join(map(repr, names[:10]))}. Rename the columns of X."
        )
    places = [names.index(name) if name in names else 0 for name in formula.names]
    return formula.tree.composed([Column(place) for place in places])


def of_columns(trees: Sequence[Tree], columns: Sequence[int]) -> tuple[Tree, ...]:
    """Return the formulas that use these columns only, of a table that has no others."""
    place = {column: i for i, column in enumerate(columns)}
    most = max(columns, default=0)
    parts = [Column(place.get(i, 0)) for i in range(most + 1)]
    return tuple(tree.composed(parts) for tree in trees if columns_of(tree) <= place.keys())
