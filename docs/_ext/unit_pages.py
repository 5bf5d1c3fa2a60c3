"""A page for each unit, from the registry and our results."""

import inspect
import re
import sys
from collections.abc import Iterator
from math import isfinite

import numpy as np
from records import OPERATIONS, Recorded, bar, cells, pooled, share, speeds, table

from nalm.networks.references import references
from nalm.units import REGISTRY, Unit

SYMBOLS = {
    "add": "+", "sub": "−", "mul": "×", "div": "÷", "reciprocal": "1/x", "square": "x²",
    "root": "√x", "and": "and", "or": "or", "not": "not", "nand": "nand", "nor": "nor",
    "gt": ">", "ge": "≥", "lt": "<", "le": "≤", "eq": "=", "ne": "≠",
}  # fmt: skip
SINGLE = ("single-module", "single-module-10", "single-module-100")
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


def zeros(unit: Unit) -> str:
    """Return what a zero among the inputs of a product does."""
    if "mul" not in unit.ops:
        return "no product"
    return "nearly" if unit.domain.epsilon or unit.domain.smallest else "yes"


def signs(unit: Unit) -> str:
    """Return which signs of inputs a unit can handle."""
    if unit.domain.low >= 0:
        return "inputs ≥ 0 only"
    return "magnitudes only" if unit.domain.unsigned else "all"


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
        "## Exact weights\n",
        exact_weights(name, unit),
        "## How often it learns\n",
        learning(name),
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
            ("operation", "inputs", "", "solved", "fails on (fewer than half of the runs)"),
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
    found = [c for c in single if (c.op, c.inputs) == (op, inputs)]
    failing = [f"{c.range} ({c.successes} of {c.runs})" for c in found if 2 * c.successes < c.runs]
    estimate = pooled(found)
    return (
        OPERATIONS.get(op, op),
        inputs,
        bar(estimate),
        share(estimate),
        ", ".join(failing) or "none",
    )


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
        "# All units\n\nEach page has the equation, the weights that are exact, how often the unit "
        "learned in our runs, and its paper.\n\n"
        + table(("unit", "name", "computes", "exact for"), rows)
        + f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def measured(unit: str, op: str, experiment: str = "single-module") -> str:
    """Return how often a unit learned an operation, for a sentence."""
    mine = cells(lambda c: (c.experiment, c.op, c.unit) == (experiment, op, unit))
    return f"`{unit}` {share(pooled(mine))}"


def positive(unit: str, op: str) -> list[Recorded]:
    """Return the cells of a unit whose inputs are positive."""
    return cells(
        lambda c: (
            (c.experiment, c.op, c.unit) == ("single-module", op, unit) and "U[-" not in c.range
        )
    )


def which_unit() -> str:
    """Return the page that helps to choose."""
    more = "single-module-10"
    text = f"""# Which unit should I use?

The numbers are solved runs of all runs, their rate and its 95 % interval, from our runs of the
single-module task at the published size: one unit, nine training ranges, tested outside of the
range.

- **Adding and subtracting**: {measured("nau", "add")}; with eight inputs that do not matter
  {measured("nau", "add", more)}.
- **Multiplying two numbers**: {measured("snmu", "mul")}, or {measured("nmru", "mul")}. Simpler, and
  as good on positive inputs: {measured("nmu", "mul")}, on the four positive ranges
  {share(pooled(positive("nmu", "mul")))}.
- **Multiplying two of many numbers**: {measured("nac_mul_nmu", "mul", more)} if inputs are positive
  or only magnitudes matter, else {measured("nmru", "mul", more)}. Compare
  {measured("snmu", "mul", more)}.
- **Dividing**: {measured("nmru", "div")}; two of ten numbers: {measured("nmru", "div", more)}.
- **Powers and roots**: `real_npu`; see its limits near zero.
- **Sums and products, not known in advance**: a stack, `nau` then `nmu`
  ([composition](../composition.md)).
- **A formula for a table**: no unit at all but `nalm.fit` ([start](../start/scientist.md)).

In the tables, "signs" says which inputs give the right sign, "zero" whether a product with an
input of 0 is exactly 0. A step is the time of one training step of one run when 225 are trained at
once on one core.

"""
    for op, sign in OPERATIONS.items():
        single = cells(lambda c, op=op: c.experiment == "single-module" and c.op == op)
        units = list(dict.fromkeys(c.unit for c in single if c.unit in REGISTRY))
        found = {unit: pooled(c for c in single if c.unit == unit) for unit in units}
        units.sort(key=lambda unit: -(found[unit].value if found[unit] else 0))
        rows = (
            (
                f"[`{unit}`](units/{unit}.md)",
                bar(found[unit]),
                share(found[unit]),
                f"{sum(c.successes == c.runs for c in single if c.unit == unit)} of "
                f"{sum(c.unit == unit for c in single)}",
                signs(example(unit)),
                zeros(example(unit)),
                f"{speeds()[unit, op]:,.0f} ns" if (unit, op) in speeds() else "not measured",
            )
            for unit in units
        )
        heads = ("unit", "", "solved, rate, 95 % interval", "ranges with all runs solved")
        text += f"## {sign}\n\n" + table((*heads, "signs", "zero", "a step"), rows) + "\n"
    return text + (
        "Units for logic (`nlrl`) and comparisons (`nsr`) are in the [list of all units]"
        "(units/index.md); networks of several steps in [composition](../composition.md).\n"
    )


def leaderboard() -> str:
    """Return the ranking of all units."""
    text = """# Leaderboard

How often each unit learns, from our recorded runs of the single-module task. Every line has its
number of runs and its 95 % interval (Wilson, all ranges together). Where intervals overlap, this
table alone shows no difference; the [report](../benchmarks.md) of your own runs tests each pair of
units on the same seeds.

"""
    sizes = (("single-module", 2), ("single-module-10", 10), ("single-module-100", 100))
    for op, sign in OPERATIONS.items():
        found = {
            name: {
                c.unit: None
                for c in cells(lambda c, n=name, op=op: c.experiment == n and c.op == op)
            }
            for name, _ in sizes
        }
        for name, units in found.items():
            for unit in units:
                units[unit] = pooled(
                    cells(
                        lambda c, n=name, u=unit, op=op: (c.experiment, c.op, c.unit) == (n, op, u)
                    )
                )
        first = found["single-module"]
        order = sorted(first, key=lambda unit: -first[unit].value)  # type: ignore[union-attr]
        values = [first[unit].value for unit in order]  # type: ignore[union-attr]
        rows = (
            (
                1 + values.index(first[unit].value),  # type: ignore[union-attr]
                f"[`{unit}`](units/{unit}.md)" if unit in REGISTRY else f"`{unit}`",
                bar(first[unit]),
                *(share(found[name].get(unit)) for name, _ in sizes),
            )
            for unit in order
        )
        heads = ("place", "unit", "", "2 inputs", "with 8 more inputs", "with 98 more inputs")
        text += f"## {sign}\n\n" + table(heads, rows) + "\n"
    return (
        text
        + """## Enter a unit

1. Write the unit as one class; a file outside of the package is enough
   ([how](../custom-unit.md)).
2. Run it beside the others at the published size, which takes seconds to minutes:

   ```text
   nalm bench single-module --units nau,nmu,my_unit.py:MyUnit --out results/mine
   nalm report results/mine
   ```

   The report ranks the units and says which differences are more than chance.
3. To enter this page, add the unit to `src/nalm/units/` as CONTRIBUTING.md says, and record its
   runs:
   `nalm bench single-module --units my_unit --json > new/single-module.json`, then
   `python -m benchmarks.results_page new`. This page is made from those files.
"""
    )
