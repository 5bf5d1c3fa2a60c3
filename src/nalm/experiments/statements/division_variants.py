"""What the thesis and the division paper state about variants of the units for division."""

from nalm.experiments.division import BETAS
from nalm.experiments.statements.claims import (
    NINE,
    Claim,
    Means,
    Relation,
    Series,
    at_least,
    both,
    everywhere,
    exactly,
    nowhere,
    series,
)
from nalm.experiments.statements.division import MODIFIED, SIGNS, unit
from nalm.experiments.statements.single_module import NEGATIVE
from nalm.experiments.statements.statement import Statement

ABOVE, BELOW, EQUAL = Relation.ABOVE, Relation.BELOW, Relation.EQUAL
AT_LEAST, AT_MOST, ABOUT = Relation.AT_LEAST, Relation.AT_MOST, Relation.ABOUT
SEVEN = tuple(r for r in NINE if r not in {"U[1,2)", "U[-2,2)"})


def real(setting: str, ranges: tuple[str, ...] = NINE, inputs: int = 2) -> Series:
    """Return a variant of the Real NPU."""
    return series("real_npu", "div", inputs, setting, ranges)


def best(setting: str, others: tuple[str, ...]) -> Claim:
    """Claim that no other variant of the Real NPU solves more on average."""
    return both(*(Means(real(setting), AT_LEAST, real(other)) for other in others))


def variant(where: str, text: str, claim: Claim, paper: str = "mistry2023") -> Statement:
    """Return a statement about the variants of the Real NPU."""
    return Statement(f"{paper}, {where}", text, "division-real-npu", claim)


RATES = tuple(f"all, rate {rate:g}" for rate in (5e-4, 5e-3, 5e-2, 5e-1))
SWEPT = tuple(f"β {first:g} to {last:g}" for first, last in BETAS)
REAL_NPU = (
    variant(
        "figure 5.4a",
        "Without L1 the Real NPU is worse on 5 of 9 ranges",
        exactly(5, real("no penalty"), BELOW, real("l1")),
    ),
    variant(
        "figure 5.4a",
        "Without L1 the Real NPU is better on 2 of 9 ranges",
        exactly(2, real("no penalty"), ABOVE, real("l1")),
    ),
    variant(
        "figure 5.4b",
        "β from 1e-9 to 1e-7 solves the most on average",
        best("β 1e-09 to 1e-07", SWEPT),
    ),
    variant(
        "figure 5.4b",
        "Larger β solve less on average",
        both(*(Means(real(name), BELOW, real("β 1e-09 to 1e-07")) for name in SWEPT[4:])),
    ),
    variant(
        "figure 5.5a",
        "Clipping weight and gate is better on all ranges but U[1,2) and U[-2,2)",
        everywhere(real("clip both", SEVEN), ABOVE, real("l1", SEVEN)),
    ),
    variant(
        "figure 5.5a",
        "Clipping the weight alone is better on these ranges, too",
        everywhere(real("clip weight", SEVEN), ABOVE, real("l1", SEVEN)),
    ),
    variant(
        "figure 5.5a",
        "Whatever is clipped, U[-2,2) is never solved",
        both(
            *(
                nowhere(real(f"clip {what}", SIGNS), ABOVE, 0.0)
                for what in ("both", "weight", "gate")
            )
        ),
    ),
    variant(
        "figure 5.5b",
        "Discretising the gate solves more than clipping alone, on average",
        Means(real("discretise gate"), ABOVE, real("clip both")),
    ),
    variant(
        "figure 5.5b",
        "Discretising weights as well solves more than the gate alone, on average",
        Means(real("discretise"), ABOVE, real("discretise gate")),
    ),
    variant(
        "figure 5.5c",
        "The constrained start solves more than Xavier's, on average",
        Means(real("all"), ABOVE, real("discretise")),
    ),
    variant(
        "figure G.3", "A rate of 5e-3 solves the most on average", best("all, rate 0.005", RATES)
    ),
    variant(
        "appendix G.3",
        "L2 is worse than L1 on 5 of 9 ranges",
        exactly(5, real("l2"), BELOW, real("l1")),
    ),
    variant(
        "appendix G.3",
        "L2 is as good as L1 on 4 of 9 ranges",
        exactly(4, real("l2"), EQUAL, real("l1")),
    ),
    variant(
        "appendix G.3",
        "L2 is worse than no penalty on 3 of 9 ranges",
        exactly(3, real("l2"), BELOW, real("no penalty")),
    ),
    variant(
        "appendix G.3",
        "L2 is better than no penalty on 3 of 9 ranges",
        exactly(3, real("l2"), ABOVE, real("no penalty")),
    ),
    variant(
        "figure 5.16",
        "Penalising to {-1, 0, 1} costs no success (within 0.1 on average, 10 inputs)",
        Means(real("all, {-1,0,1}", inputs=10), AT_LEAST, real("all", inputs=10), -0.1),
    ),
    variant(
        "section 5",
        "Without L1 the Real NPU is worse on 5 of 9 ranges",
        exactly(5, real("no penalty"), BELOW, real("l1")),
        "mistry2022division",
    ),
    variant(
        "section 5",
        "Clipping is better on all ranges but U[1,2)",
        everywhere(real("clip both", (*SEVEN, *SIGNS)), ABOVE, real("l1", (*SEVEN, *SIGNS))),
        "mistry2022division",
    ),
)


def nru(setting: str, inputs: int = 2, ranges: tuple[str, ...] = NINE) -> Series:
    """Return a variant of the NRU."""
    return series("nru", "div", inputs, setting, ranges)


def nmru(setting: str, ranges: tuple[str, ...] = NINE) -> Series:
    """Return a variant of the NMRU."""
    return series("nmru", "div", 10, setting, ranges)


def npu(setting: str, ranges: tuple[str, ...] = NINE) -> Series:
    """Return the NPU with complex weights."""
    return series("npu", "div", 10, setting, ranges)


def ablation(where: str, text: str, *claims: Claim) -> Statement:
    """Return a statement about the variants of the NMRU."""
    return Statement(f"mistry2023, {where}", text, "division-nmru", both(*claims))


REAL_10, FULL = unit(MODIFIED, 10), "sign and clip"
VARIANTS = (
    Statement(
        "mistry2023, figure G.1",
        "NRU: a tanh scale of 1000 solves the most on average",
        "division-nru",
        both(*(Means(nru("rate 1"), AT_LEAST, nru(f"tanh scale {s}")) for s in (1, 10, 100))),
    ),
    Statement(
        "mistry2023, figure G.4",
        "NRU: a rate of 1 solves all ranges fully",
        "division-nru",
        everywhere(nru("rate 1"), EQUAL, 1.0),
    ),
    Statement(
        "mistry2023, figure G.4",
        "NRU: the smaller the rate, the fewer runs are solved on average",
        "division-nru",
        both(
            *(
                Means(nru(f"rate {a}"), AT_LEAST, nru(f"rate {b}"))
                for a, b in (("1", "0.1"), ("0.1", "0.01"), ("0.01", "0.001"))
            )
        ),
    ),
    Statement(
        "mistry2023, figure G.9",
        "NRU, 10 inputs: a separate sign makes no difference (within 0.1)",
        "division-nru",
        everywhere(nru("separate sign", 10), ABOUT, nru("rate 0.001", 10)),
    ),
    Statement(
        "mistry2023, figure G.5",
        "NPU: free complex weights hinder success on negative ranges",
        "division-npu",
        Means(npu("no constraints", NEGATIVE), BELOW, unit(MODIFIED, 10, NEGATIVE)),
    ),
    Statement(
        "mistry2023, figure G.5",
        "NPU: clipped and penalised, it is no better than the Real NPU (within 0.1)",
        "division-npu",
        Means(npu("clip and penalty"), AT_MOST, REAL_10, 0.1),
    ),
    ablation(
        "figure G.6",
        "Without sign and clipping the NMRU solves less than half on most ranges",
        at_least(5, nmru("none"), BELOW, 0.5),
    ),
    ablation(
        "figure G.6",
        "Clipping alone does not solve negative ranges fully, but U[-2,2)",
        everywhere(nmru("clip only", NEGATIVE), BELOW, 1.0),
        everywhere(nmru("clip only", SIGNS), EQUAL, 1.0),
    ),
    ablation(
        "figure G.6",
        "The sign alone solves more than neither on negative ranges, on average",
        Means(nmru("sign only", NEGATIVE), ABOVE, nmru("none", NEGATIVE)),
    ),
    ablation(
        "figure G.6",
        "The sign alone solves less on U[-2,2) than clipping alone",
        everywhere(nmru("sign only", SIGNS), BELOW, nmru("clip only", SIGNS)),
    ),
    ablation(
        "figure G.6",
        "Sign and clipping together solve the most on average",
        *(Means(nmru(FULL), ABOVE, nmru(name)) for name in ("none", "sign only", "clip only")),
    ),
    ablation("figure G.6", "A gate hinders", Means(nmru("sign, clip and gate"), BELOW, nmru(FULL))),
    ablation(
        "figure G.7",
        "A rate of 1e-3 solves less on U[-2,2) than 1e-2",
        everywhere(nmru("rate 0.001", SIGNS), BELOW, nmru("rate 0.01", SIGNS)),
    ),
    ablation(
        "figure G.7",
        "A rate of 0.1 solves nothing on several ranges",
        at_least(2, nmru("rate 0.1"), EQUAL, 0.0),
    ),
    ablation(
        "figure G.8",
        "Adam beats SGD on 7 of 9 ranges",
        exactly(7, nmru("rate 0.01"), ABOVE, nmru("SGD, rate 0.01")),
    ),
    ablation(
        "figure G.8",
        "SGD beats Adam on no range",
        nowhere(nmru("SGD, rate 0.01"), ABOVE, nmru("rate 0.01")),
    ),
)
STATEMENTS = (*REAL_NPU, *VARIANTS)
