"""Which unit should I use, and the leaderboard: pages made from our results."""

from records import OPERATIONS, Recorded, bar, cells, pooled, share, speeds, table
from unit_pages import example

from nalm.units import REGISTRY, Unit


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
