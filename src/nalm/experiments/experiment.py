"""What an experiment is: models on tasks under recipes, each for several seeds, and a source."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from html import escape
from typing import Any

from nalm._internal.checks import check_whole
from nalm.errors import InputError, UnknownNameError, unknown
from nalm.experiments.pictures import Pictures
from nalm.sweeps import Cell, CellKey, CellRuns, Size


class Experiment:
    """Cells with a source: a published experiment, or one of your own.

    Parameters
    ----------
    name
        What it is called: in `nalm.bench(name)`, and the folder of its results.
    title
        What it is about, in a few words.
    source
        The paper, by its key, and the section, table or figure.
    seeds
        How many seeds each cell has.
    cells
        The cells, or a function that returns them.
    note
        What a reader should know.

    Examples
    --------
    >>> import nalm
    >>> from nalm.experiments import Cell, Experiment
    >>> from nalm.tasks import single_module
    >>> task, nau = single_module("add"), nalm.unit("nau", 2, 1)
    >>> cells = [
    ...     Cell("nau", nau, task, nalm.Recipe(rate), f"rate {rate}") for rate in (1e-2, 1e-3)
    ... ]
    >>> mine = Experiment("rates", "NAU with two learning rates", "my notes", 3, cells)
    >>> mine
    Experiment('rates': NAU with two learning rates, 2 cells, 3 seeds)
    """

    def __init__(  # noqa: PLR0917 (experiments are written as data, one line each)
        self,
        name: str,
        title: str,
        source: str,
        seeds: int,
        cells: Iterable[Cell] | Callable[[], Iterable[Cell]],
        note: str = "",
    ) -> None:
        if not isinstance(name, str) or name in {"", ".", ".."} or "/" in name:
            raise InputError(
                f"The name of an experiment is that of its folder, without '/'; received {name!r}."
            )
        check_whole("seeds", seeds, 1)
        self.name, self.title, self.source = name, title, source
        self.seeds, self.note = seeds, note
        self._given = cells

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        given = self._given() if callable(self._given) else self._given
        cells = tuple(given)
        if not cells or not all(isinstance(cell, Cell) for cell in cells):
            raise InputError(
                f"An experiment has cells, at least one nalm.experiments.Cell; {self.name!r} has "
                f"{cells!r:.200}."
            )
        for key, count in Counter(cell.key for cell in cells).items():
            if count > 1:
                raise InputError(
                    f"Every cell of an experiment has its own key; {self.name!r} has {count} cells "
                    f"{key}. Give them different settings."
                )
        return cells

    def cells(self) -> list[Cell]:
        """Return every cell; they are made once."""
        return list(self._cells)

    def pictured(self, asked: Pictures) -> "Experiment":
        """Return the experiment with other pictures, or computed otherwise.

        Parameters
        ----------
        asked
            What is asked; an experiment without pictures refuses anything but the default.
        """
        if asked != Pictures():
            raise InputError(
                f"{self.name} has no pictures: leave out data, device, precision, epochs and folds."
            )
        return self

    def references(self, cells: Sequence[Cell]) -> list[Cell]:  # noqa: ARG002 (few have them)
        """Return cells that are trained first, because their runs decide what is solved."""
        return []

    def judged_by(self, cells: Sequence[Cell], references: Sequence[CellRuns]) -> list[Cell]:  # noqa: ARG002
        """Return cells with the limits that the reference runs set."""
        return list(cells)

    @cached_property
    def sizes(self) -> dict[CellKey, Size]:
        """The size of every cell: its seeds and steps."""
        return {cell.key: Size(self.seeds, cell.recipe.steps) for cell in self._cells}

    def _facts(self) -> list[tuple[str, str]]:
        keys = list(self.sizes)
        facts = [("source", self.source), ("size", f"{len(keys)} cells, {self.seeds} seeds")]
        for title, values in (
            ("units", [key.unit for key in keys]),
            ("operations", [key.op for key in keys]),
            ("ranges", [key.range for key in keys]),
            ("inputs", [str(key.inputs) for key in keys]),
            ("settings", [key.setting for key in keys if key.setting]),
        ):
            if values:
                facts.append((title, _listed(list(dict.fromkeys(values)))))
        return facts + ([("note", self.note)] if self.note else [])

    def __repr__(self) -> str:
        size = f"{len(self._cells)} cells, {self.seeds} seeds"
        return f"Experiment({self.name!r}: {self.title}, {size})"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.title}"]
        return "\n".join(lines + [f"  {title}: {text}" for title, text in self._facts()])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(title)}</th><td>{escape(text)}</td></tr>"
            for title, text in self._facts()
        )
        head = f"<b>{escape(self.name)}</b>: {escape(self.title)}"
        return f"<div>{head}<table>{rows}</table></div>"


MOST, FEW = 64, 6
"""How many values are listed, and how many of more than that."""


def _listed(values: Sequence[str]) -> str:
    """Return values as one text; of very many, the first."""
    if len(values) <= MOST:
        return "; ".join(values)
    return f"{'; '.join(values[:FEW])}; … ({len(values)} in all)"


def select(
    cells: Sequence[Cell],
    units: Sequence[str] | None,
    ops: Sequence[str] | None,
    ranges: Sequence[str] | None,
    *,
    settings: Sequence[str] | None = None,
    inputs: Sequence[int] | None = None,
) -> list[Cell]:
    """Return the cells with these names; a name that fits none of the cells is an error.

    The name of a model is that model alone; another unit's name is every model that has it.
    """
    chosen = list(cells)
    for op in ops or ():
        if op not in {cell.key.op for cell in cells}:
            raise unknown("operation", op, {cell.key.op for cell in cells}, owner="This experiment")
    if ops:
        chosen = [cell for cell in chosen if cell.key.op in ops]
    known = {cell.key.range for cell in cells}
    for name in ranges or ():
        if name not in known:
            raise unknown("range", name, known, owner="This experiment")
    if ranges:
        chosen = [cell for cell in chosen if cell.key.range in ranges]
    for name in units or ():
        _check_unit(name, cells, chosen)
    if units:
        whole = {cell.name for cell in cells}
        chosen = [
            cell
            for cell in chosen
            if any(name == cell.name if name in whole else name in cell.units() for name in units)
        ]
    chosen = _with(chosen, "setting", settings, lambda cell: cell.setting)
    chosen = _with(chosen, "number of inputs", inputs, lambda cell: cell.key.inputs)
    if not chosen:
        raise InputError("The selection leaves nothing of the experiment.")
    return chosen


def _with(
    cells: list[Cell], kind: str, wanted: Sequence[Any] | None, of: Callable[[Cell], Any]
) -> list[Cell]:
    """Return the cells that have one of the wanted values, each of which some cell must have."""
    if wanted is None:
        return cells
    known = {of(cell) for cell in cells}
    for value in wanted:
        if value not in known:
            if known == {""}:
                raise UnknownNameError(
                    f"There are no {kind}s in this selection; received {value!r}. Leave them out."
                )
            names = [str(v) or "''" for v in known]
            raise unknown(kind, value, names, owner="This selection")
    return [cell for cell in cells if of(cell) in wanted]


def _check_unit(name: str, cells: Sequence[Cell], chosen: Sequence[Cell]) -> None:
    """Raise unless some chosen cell has this unit."""
    if any(name in cell.units() for cell in chosen):
        return
    able = sorted({cell.name for cell in chosen})
    if any(name in cell.units() for cell in cells):
        ops = ", ".join(sorted({cell.key.op for cell in chosen}))
        raise UnknownNameError(f"{name} cannot represent {ops}; these can: {', '.join(able)}.")
    names = {name for cell in cells for name in cell.units()}
    raise unknown("unit", name, names, owner="This experiment")
