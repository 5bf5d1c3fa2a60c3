"""A page for each unit, from the registry and our results."""

import inspect
import re
import sys
from collections.abc import Iterator
from math import isfinite

import numpy as np
from records import OPERATIONS, SINGLE, Recorded, bar, cells, pooled, share, table
from unit_pictures import caption

from nalm.networks.references import references
from nalm.units import REGISTRY, Unit

SYMBOLS = {
    "add": "+", "sub": "−", "mul": "×", "div": "÷", "reciprocal": "1/x", "square": "x²",
    "root": "√x", "and": "and", "or": "or", "not": "not", "nand": "nand", "nor": "nor",
    "gt": ">", "ge": "≥", "lt": "<", "le": "≤", "eq": "=", "ne": "≠",
}  # fmt: skip
ONE = {"reciprocal", "square", "root", "not"}
"""Operations of one input."""


def example(name: str) -> Unit:
    """Return a unit with two inputs and one output."""
    return REGISTRY[name](2, 1)


def operations(name: str) -> str:
    """Return what a unit can compute, in signs."""
    return " ".join(SYMBOLS.get(op, op) for op in example(name).ops) or "nothing exactly"


def limits(unit: Unit) -> str:
    """Return on which inputs a unit is exact."""
    found = list(_limits(unit))
    return "; ".join(found if found and found[0].startswith("inputs") else ["all inputs", *found])


def _limits(unit: Unit) -> Iterator[str]:
    domain = unit.domain
    if domain.low > -1e17 or domain.high < 1e17:
        high = f" and at most {domain.high:g}" if isfinite(domain.high) else ""
        yield f"inputs of at least {domain.low:g}{high}"
    if "div" in unit.ops:
        yield "divisors other than 0"
    if domain.unsigned:
        yield "but the sign of a product is lost"
    if domain.smallest:
        yield f"inputs of 0, or of magnitude {domain.smallest:.1g} or more"
    if domain.epsilon:
        yield f"to about {domain.epsilon:.1g}, which it adds to magnitudes"
    if isfinite(domain.largest):
        yield f"results up to {domain.largest:.3g}"
    if domain.least_sum:
        yield f"inputs whose sum is at least {domain.least_sum:g}"
    if domain.gap:
        yield f"inputs that differ by {domain.gap:g} or more"


def page(name: str) -> str:
    """Return the page of a unit."""
    cls, unit = REGISTRY[name], example(name)
    document = inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "")
    about = inspect.getdoc(cls) or ""
    parts = [
        f"# {cls.__name__}\n",
        f'`nalm.unit("{name}", in_features, out_features)`, in PyTorch '
        f"`nalm.torch.{cls.__name__}(in_features, out_features)`\n",
        f"Computes: {operations(name)}." + (f" Exact for: {limits(unit)}.\n" if unit.ops else "\n"),
        "## Equation\n",
        _rst(document),
        _rst(about.partition("\n\n")[2] if "\n\n" in about else about),
        "## Picture\n",
        f"![{cls.__name__}]({name}.svg)\n\n{caption(name)}\n",
        "## Exact weights\n",
        exact_weights(name, unit),
        "## How often it learns\n",
        learning(name),
        "## Where it fails\n",
        failures(name, unit),
        "## Cite\n",
        "\n".join(f"```bibtex\n{references()[key]}\n```\n" for key in cls.papers)
        or "A baseline: no paper.\n",
    ]
    return "\n".join(parts)


def _rst(text: str) -> str:
    """Return text of a docstring; outside of equations `|x|` is a magnitude, not a reference."""
    parts = re.split(r"(:math:`[^`]*`|\.\. math::.*?(?=\n\n|$)|`[^`]*`)", text, flags=re.DOTALL)
    parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
    return f"```{{eval-rst}}\n{''.join(parts)}\n```\n" if text else ""


def exact_weights(name: str, unit: Unit) -> str:
    """Return the parameters that compute each operation exactly, with the formula read back."""
    if not unit.ops:
        return "None: its weights are not a formula.\n"
    rows = []
    for op in unit.ops:
        mine = REGISTRY[name](1 if op in ONE else 2, 1)
        params = mine.exact(op)
        weights = "<br>".join(
            f"`{key}` = {numbers(np.asarray(value))}" for key, value in params.items()
        )
        low = max(mine.domain.low, 0.5)
        point = np.full((1, mine.in_features), min(max(low, 0.5), mine.domain.high))
        formula = mine.formula(params, ["a", "b"][: mine.in_features], x=point)[0]
        rows.append((SYMBOLS.get(op, op), weights, f"`{formula}`"))
    return table(("operation", "parameters", "formula"), rows)


def numbers(value: np.ndarray) -> str:
    """Return an array in one line; one row of it where all rows are the same."""
    rows = value.reshape(-1, value.shape[-1])
    same = len(rows) > 1 and bool((rows == rows[0]).all())
    text = np.array2string(rows[0] if same else value, precision=3, separator=", ")
    line = re.sub(r"\s+", " ", text).replace("[ ", "[")
    return f"{line} in each of {len(rows)} rows" if same else line


def learning(name: str) -> str:
    """Return how often a unit learned what it was trained on, and where it failed."""
    mine = cells(lambda cell: cell.unit == name)
    single = [c for c in mine if c.experiment in SINGLE]
    others = [c for c in mine if c.experiment not in SINGLE]
    if not mine:
        return "Not measured: it is in none of the recorded experiments by itself.\n"
    text = ""
    if single:
        text += (
            "The single-module task: one unit, two of its inputs matter, nine training ranges. "
            "Solved runs of all runs, with the 95 % interval of the rate.\n\n"
        )
        groups = sorted(dict.fromkeys((c.op, c.inputs) for c in single), key=lambda g: g[1])
        text += table(
            ("operation", "inputs", "", "solved"),
            (_line(op, inputs, single) for op, inputs in groups),
        )
    if others:
        names = dict.fromkeys(c.experiment for c in others)
        text += "\nIn other experiments, all cells of an experiment together:\n\n" + table(
            ("experiment", "what was varied", "", "solved"), (_other(n, others) for n in names)
        )
    return text


def _other(experiment: str, others: list[Recorded]) -> tuple[object, ...]:
    found = [c for c in others if c.experiment == experiment]
    parts = {
        "operation": {c.op for c in found},
        "range": {c.range for c in found},
        "number of inputs": {c.inputs for c in found},
        "setting": {c.setting for c in found},
    }
    varied = ", ".join(f"{len(v)} {name}s" for name, v in parts.items() if len(v) > 1)
    estimate = pooled(found)
    link = f"[{experiment}](../results/{experiment}.md)"
    return (
        link,
        varied.replace("number of inputss", "numbers of inputs"),
        bar(estimate),
        share(estimate),
    )


def _line(op: str, inputs: int, single: list[Recorded]) -> tuple[object, ...]:
    estimate = pooled(c for c in single if (c.op, c.inputs) == (op, inputs))
    return OPERATIONS.get(op, op), inputs, bar(estimate), share(estimate)


def failures(name: str, unit: Unit) -> str:
    """Return where a unit is wrong: with exact weights, and in our runs."""
    if not unit.ops:
        return "It computes no operation exactly; outside of its training range it is wrong.\n"
    wrong = list(_wrong(unit)) or ["nowhere: they are right for all inputs, up to rounding"]
    text = "Even with exact weights:\n\n" + "".join(f"- {line}\n" for line in wrong)
    single = cells(lambda cell: cell.unit == name and cell.experiment in SINGLE)
    if single:
        text += (
            "\nIn training, solved runs of all runs on each range of the single-module task (with "
            "intervals in the [tables of results](../results/index.md)):\n\n"
        ) + by_range(single)
    return text


def by_range(single: list[Recorded]) -> str:
    """Return a table of colored cells: operations and inputs down, training ranges across."""
    ranges = list(dict.fromkeys(c.range for c in single))
    found = {(c.op, c.inputs, c.range): c for c in single}
    groups = sorted(dict.fromkeys((c.op, c.inputs) for c in single), key=lambda g: g[1])
    rows = (
        (OPERATIONS.get(op, op), inputs, *(heat(found.get((op, inputs, r))) for r in ranges))
        for op, inputs in groups
    )
    return table(("operation", "inputs", *(r.removeprefix("U") for r in ranges)), rows)


def heat(cell: Recorded | None) -> str:
    """Return solved runs of all runs, on a color for the rate."""
    if cell is None:
        return ""
    color = f"--rate: {100 * cell.successes / cell.runs:.0f}%"
    return f'<span class="heat" style="{color}">{cell.successes}/{cell.runs}</span>'


def _wrong(unit: Unit) -> Iterator[str]:
    domain = unit.domain
    if domain.low > -1e17:
        yield f"for inputs below {domain.low:g}"
    if domain.high < 1e17:
        yield f"for inputs above {domain.high:g}"
    if "div" in unit.ops:
        yield "for divisors of 0"
    if domain.unsigned:
        yield "in the sign: it multiplies magnitudes"
    if domain.smallest:
        yield f"for inputs nearer to 0 than {domain.smallest:.1g}, but not 0 itself"
    if domain.epsilon:
        yield f"by about {domain.epsilon:.1g}, which it adds to magnitudes"
    if isfinite(domain.largest):
        yield f"for results beyond {domain.largest:.3g}"
    if domain.least_sum:
        yield f"for inputs whose sum is below {domain.least_sum:g}"
    if domain.gap:
        yield f"for inputs that differ by less than {domain.gap:g}, but are not equal"


def index() -> str:
    """Return the list of all units."""
    rows = (
        (
            f"[{REGISTRY[name].__name__}]({name}.md)",
            f"`{name}`",
            operations(name),
            limits(example(name)) if example(name).ops else "",
        )
        for name in REGISTRY
    )
    names = "\n".join(REGISTRY)
    return (
        "# All units\n\nEach page has the equation, a picture, the weights that are exact, how "
        "often the unit learned in our runs and where it fails, and its paper.\n\n"
        + table(("unit", "name", "computes", "exact for"), rows)
        + f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )
