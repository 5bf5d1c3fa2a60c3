"""What is wanted of an experiment: cells by name, and cells like them that it does not have."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nalm._internal.checks import shown
from nalm._internal.custom import names_file
from nalm.errors import InputError
from nalm.experiments.catalogue import EXPERIMENTS
from nalm.experiments.custom_units import cells_like, custom_cells
from nalm.experiments.experiment import Experiment, select
from nalm.experiments.variants import moved, with_operation, with_unit_options
from nalm.sweeps import Cell, CellKey, Note, NoteKind
from nalm.sweeps.custom_checks import check_different
from nalm.sweeps.models import class_in_file, split_options
from nalm.tasks import range_pair
from nalm.tasks.ranges import ARROW, pair_label
from nalm.units import REGISTRY, Unit
from nalm.units._options import check_names


@dataclass(frozen=True)
class Selection:
    """What is wanted of an experiment; None means all."""

    units: Sequence[str | type[Unit]] | None = None
    ops: Sequence[str] | None = None
    ranges: Sequence[str] | None = None
    settings: Sequence[str] | None = None
    inputs: Sequence[int] | None = None

    def cells(self, experiment: Experiment) -> list[Cell]:
        """Return the wanted cells of an experiment, with those that it does not have."""
        known, ranges = self._opened(experiment.cells())

        def chosen(units: Sequence[str] | None) -> list[Cell]:
            return select(
                known, units, self.ops, ranges, settings=self.settings, inputs=self.inputs
            )

        if self.units is None:
            return chosen(None)
        names = {name for cell in known for name in cell.units()}
        added = [_added(unit, names) for unit in self.units]
        check_different([found.cls for found in added if found])
        like = chosen(None) if any(added) else []
        found: dict[CellKey, Cell] = {}
        for unit, other in zip(self.units, added, strict=True):
            if other is None:
                cells = _known(str(unit), names, chosen)
            elif experiment.name in EXPERIMENTS:
                cells = custom_cells(other.cls, known, like, other.options)
            else:
                cells = cells_like(other.cls, like, other.options)
            for cell in cells:
                found.setdefault(cell.key, cell)
        order = {cell.key: i for i, cell in enumerate(known)}
        return sorted(found.values(), key=lambda cell: order.get(cell.key, len(order)))

    def _opened(self, cells: list[Cell]) -> tuple[list[Cell], list[str] | None]:
        """Return the cells with those of other operations and ranges, and the wanted labels."""
        for op in self.ops or ():
            if op not in {cell.key.op for cell in cells}:
                cells = cells + with_operation(cells, op)
        if self.ranges is None:
            return cells, None
        labels = {_close(cell.key.range): cell.key.range for cell in cells}
        wanted = []
        for text in self.ranges:
            if _close(text) in labels:
                wanted.append(labels[_close(text)])
                continue
            train, test = range_pair(text)
            same = {c.key.range for c in cells if (c.task.train, c.task.test) == (train, test)}
            if not same:
                label = pair_label(train, test)
                if _close(label) in labels:  # the experiment tests elsewhere by default
                    label = f"{train.label}{ARROW}{test.label}"
                cells = cells + moved(cells, train, test, label)
                same = {label}
            wanted += sorted(same)
        return cells, wanted


@dataclass(frozen=True)
class _Added:
    """A unit that the experiment does not have, and its options."""

    cls: type[Unit]
    options: Mapping[str, Any] = field(default_factory=dict)


def _added(unit: str | type[Unit], names: set[str]) -> _Added | None:
    """Return the class of a unit that the experiment does not have."""
    if not isinstance(unit, str):
        return _Added(unit)
    if names_file(unit):
        return _Added(*class_in_file(unit))
    name, options = split_options(unit) if unit not in names else (unit, {})
    if name in names or name not in REGISTRY:
        return None
    check_names(REGISTRY[name], options)
    return _Added(REGISTRY[name], options)


def _known(text: str, names: set[str], chosen: Callable[[list[str]], list[Cell]]) -> list[Cell]:
    """Return the cells of a unit that the experiment has."""
    if "(" in text and text not in names:
        return with_unit_options(chosen([text.partition("(")[0].strip()]), text)
    return chosen([text])


def _close(name: str) -> str:
    """Return the name of a range without spaces, which may be left out or added."""
    return "".join(name.split())


def change_notes(experiment: Experiment, cells: Sequence[Cell]) -> tuple[Note, ...]:
    """Return which cells are not published, and why they are not compared."""
    other = [cell.key for cell in cells if cell.key not in experiment.sizes]
    if not other or experiment.name not in EXPERIMENTS:
        return ()
    published = list(experiment.sizes)
    changed = []
    for name in ("unit", "op", "range", "inputs", "setting"):
        known = {getattr(key, name) for key in published}
        values = dict.fromkeys(str(v) for key in other if (v := getattr(key, name)) not in known)
        if values := [value for value in values if value]:
            changed.append(f"{name} {', '.join(values)}")
    whole = len(other) == len(cells)
    are = "is" if len(other) == 1 else "are"
    which = "Nothing is" if whole else f"{len(other)} of {len(cells)} cells {are} not"
    why = f"{'; '.join(changed) or 'this combination'} is not published"
    return (Note(NoteKind.CHANGED, f"{which} compared with published values: {why}."),)


def checked(name: str, given: Any, kind: Any, example: str) -> Any:
    """Return one value or several as a list, all of a kind; None stays None."""
    if given is None:
        return None
    several = isinstance(given, Iterable) and not isinstance(given, str | int | type)
    values = list(given) if several else [given]
    if not values:
        raise InputError(f"{name} names at least one; received none. Leave it out for all.")
    for value in values:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{name} are {example}; received {shown(value)}.")
    return values
