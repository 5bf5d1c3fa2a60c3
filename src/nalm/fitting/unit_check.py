"""Whether a law has the unit of the result, and what is said if it has not."""

from dataclasses import replace

from nalm.fitting.evidence.verify import Judgment, LawOutcome
from nalm.fitting.law import Law
from nalm.fitting.tree import Tree
from nalm.fitting.units import Units


def of_right_unit(judgment: Judgment, short: Tree, units: Units | None) -> Judgment:
    """Return the judgment after a look at the units of the shortest form of a formula."""
    if units is None or not judgment.fits or units.allows(short):
        return judgment
    reason = f"its unit is not that of the result, {units.target}"
    return Judgment(LawOutcome.NONE, reason, judgment.noise)


def with_excluded(law: Law, units: Units, other: Law) -> Law:
    """Return a law that was not found, with a formula that the units left out if rows agree."""
    if other.outcome != LawOutcome.EXACT.value or units.allows(other.tree):
        return law
    unit = units.of(other.tree)
    its = f", {unit}," if unit else ""
    reason = (
        f"all rows agree with {other.text()}, but its unit{its} is not that of the result, "
        f"{units.target}; check the units"
    )
    return replace(law, reason=reason)
