"""What the thesis and the division paper state about division by one unit."""

from nalm.experiments.division import BETAS, MIXED
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
from nalm.experiments.statements.single_module import NEGATIVE, POSITIVE
from nalm.experiments.statements.statement import Statement
from nalm.sweeps.types import CellKey

ABOVE, BELOW, EQUAL = Relation.ABOVE, Relation.BELOW, Relation.EQUAL
AT_LEAST, AT_MOST, ABOUT = Relation.AT_LEAST, Relation.AT_MOST, Relation.ABOUT
SIGNS = ("U[-2,2)",)
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
    variant("figure 5.4a", "Without L1 the Real NPU is worse on 5 of 9 ranges",
            exactly(5, real("no penalty"), BELOW, real("l1"))),
    variant("figure 5.4a", "Without L1 the Real NPU is better on 2 of 9 ranges",
            exactly(2, real("no penalty"), ABOVE, real("l1"))),
    variant("figure 5.4b", "β from 1e-9 to 1e-7 solves the most on average", best("β 1e-09 to 1e-07", SWEPT)),
    variant("figure 5.4b", "Larger β solve less on average",
            both(*(Means(real(name), BELOW, real("β 1e-09 to 1e-07")) for name in SWEPT[4:]))),
    variant("figure 5.5a", "Clipping weight and gate is better on all ranges but U[1,2) and U[-2,2)",
            everywhere(real("clip both", SEVEN), ABOVE, real("l1", SEVEN))),
    variant("figure 5.5a", "Clipping the weight alone is better on these ranges, too",
            everywhere(real("clip weight", SEVEN), ABOVE, real("l1", SEVEN))),
    variant("figure 5.5a", "Whatever is clipped, U[-2,2) is never solved",
            both(*(nowhere(real(f"clip {what}", SIGNS), ABOVE, 0.0) for what in ("both", "weight", "gate")))),
    variant("figure 5.5b", "Discretising the gate solves more than clipping alone, on average",
            Means(real("discretise gate"), ABOVE, real("clip both"))),
    variant("figure 5.5b", "Discretising weights as well solves more than the gate alone, on average",
            Means(real("discretise"), ABOVE, real("discretise gate"))),
    variant("figure 5.5c", "The constrained start solves more than Xavier's, on average",
            Means(real("all"), ABOVE, real("discretise"))),
    variant("figure G.3", "A rate of 5e-3 solves the most on average", best("all, rate 0.005", RATES)),
    variant("appendix G.3", "L2 is worse than L1 on 5 of 9 ranges", exactly(5, real("l2"), BELOW, real("l1"))),
    variant("appendix G.3", "L2 is as good as L1 on 4 of 9 ranges", exactly(4, real("l2"), EQUAL, real("l1"))),
    variant("appendix G.3", "L2 is worse than no penalty on 3 of 9 ranges",
            exactly(3, real("l2"), BELOW, real("no penalty"))),
    variant("appendix G.3", "L2 is better than no penalty on 3 of 9 ranges",
            exactly(3, real("l2"), ABOVE, real("no penalty"))),
    variant("figure 5.16", "Penalising to {-1, 0, 1} costs no success (within 0.1 on average, 10 inputs)",
            Means(real("all, {-1,0,1}", inputs=10), AT_LEAST, real("all", inputs=10), -0.1)),
    variant("section 5", "Without L1 the Real NPU is worse on 5 of 9 ranges",
            exactly(5, real("no penalty"), BELOW, real("l1")), "mistry2022division"),
    variant("section 5", "Clipping is better on all ranges but U[1,2)",
            everywhere(real("clip both", (*SEVEN, *SIGNS)), ABOVE, real("l1", (*SEVEN, *SIGNS))),
            "mistry2022division"),
)  # fmt: skip


def unit(name: str, inputs: int, ranges: tuple[str, ...] = NINE) -> Series:
    """Return a unit of the comparison over uniform ranges."""
    return series(name, "div", inputs, ranges=ranges)


def uniform(where: str, text: str, *claims: Claim) -> Statement:
    """Return a statement about the nine uniform ranges."""
    return Statement(f"mistry2023, {where}", text, "division", both(*claims))


MODIFIED, NEW = "real_npu modified", ("nru", "nmru")
UNIFORM = (
    uniform("section 5.5", "2 inputs: NRU and NMRU are solved fully on all ranges",
            *(everywhere(unit(name, 2), EQUAL, 1.0) for name in NEW)),
    uniform("section 5.5", "2 inputs: the modified Real NPU is solved fully but on U[-2,2)",
            everywhere(unit(MODIFIED, 2, (*NEGATIVE, *POSITIVE)), EQUAL, 1.0),
            everywhere(unit(MODIFIED, 2, SIGNS), BELOW, 1.0)),
    uniform("section 5.5", "10 inputs: the modified Real NPU is at least as good as the original on all ranges",
            everywhere(unit(MODIFIED, 10), AT_LEAST, unit("real_npu", 10))),
    uniform("section 5.5", "10 inputs: the NRU is solved on no negative range",
            nowhere(unit("nru", 10, NEGATIVE), ABOVE, 0.0)),
    uniform("section 5.5", "10 inputs: of all units only the NMRU is solved on U[-2,2)",
            everywhere(unit("nmru", 10, SIGNS), ABOVE, 0.0),
            *(nowhere(unit(name, 10, SIGNS), ABOVE, 0.0) for name in (MODIFIED, "nru", "real_npu"))),
    uniform("section 5.5", "10 inputs: the modified Real NPU beats the NMRU on negative ranges, on average",
            Means(unit(MODIFIED, 10, NEGATIVE), ABOVE, unit("nmru", 10, NEGATIVE))),
    uniform("section 5.5", "10 inputs: the modified Real NPU takes fewer steps than the original, on average",
            Means(unit(MODIFIED, 10, POSITIVE).steps(), BELOW, unit("real_npu", 10, POSITIVE).steps())),
    Statement("mistry2022division, abstract", "10 inputs: NMRU, then modified, then original Real NPU, by success",
              "division", both(Means(unit("nmru", 10), ABOVE, unit(MODIFIED, 10)),
                               Means(unit(MODIFIED, 10), ABOVE, unit("real_npu", 10)))),
)  # fmt: skip


def signed(name: str, inputs: int, *sets: int) -> Series:
    """Return a unit on sets of operands with different signs."""
    return Series(tuple(
        CellKey(name, "div", MIXED[str(n)][0].label, inputs, f"set {n}") for n in sets
    ))  # fmt: skip


def mixed(text: str, *claims: Claim) -> Statement:
    """Return a statement about operands with different signs."""
    return Statement("mistry2023, section 5.6", text, "division-mixed-signs", both(*claims))


FIVE = (1, 2, 3, 4, 5)
MIXED_SIGNS = (
    mixed("2 inputs: the Real NPU is solved fully on none of the five sets, NRU and NMRU on all",
          everywhere(signed(MODIFIED, 2, *FIVE), BELOW, 1.0),
          *(everywhere(signed(name, 2, *FIVE), EQUAL, 1.0) for name in NEW)),
    mixed("2 inputs: the NMRU takes fewer steps where the divisor is positive",
          Means(signed("nmru", 2, 1, 2).steps(), BELOW, signed("nmru", 2, 4, 5).steps())),
    mixed("10 inputs: the Real NPU solves more than with 2 on all sets but the third",
          everywhere(signed(MODIFIED, 10, 1, 2, 4, 5), ABOVE, signed(MODIFIED, 2, 1, 2, 4, 5))),
    mixed("10 inputs: the NRU is solved on no set", nowhere(signed("nru", 10, *FIVE), ABOVE, 0.0)),
    mixed("10 inputs: the NMRU solves at least 0.9 on every set",
          everywhere(signed("nmru", 10, *FIVE), AT_LEAST, 0.9)),
)  # fmt: skip

WIDTHS = ("0.0001", "0.001", "0.01", "0.1", "1")


def small(name: str, op: str, inputs: int, *widths: str) -> Series:
    """Return a unit on inputs near zero."""
    return Series(tuple(CellKey(name, op, f"U[0,{width})", inputs) for width in widths or WIDTHS))


def near_zero(text: str, *claims: Claim) -> Statement:
    """Return a statement about inputs near zero."""
    return Statement("mistry2023, section 5.8", text, "division-small", both(*claims))


SMALL = (
    near_zero("1/a: Real NPU and NMRU are solved fully on all ranges",
              *(everywhere(small(name, "reciprocal", 1), EQUAL, 1.0) for name in (MODIFIED, "nmru"))),
    near_zero("1/a: the NRU is not solved fully on U[0,1e-4)",
              everywhere(small("nru", "reciprocal", 1, "0.0001"), BELOW, 1.0)),
    near_zero("1/a beside b: the NMRU solves more than the others on U[0,1) and U[0,0.1)",
              *(everywhere(small("nmru", "reciprocal", 2, "0.1", "1"), ABOVE,
                           small(name, "reciprocal", 2, "0.1", "1")) for name in (MODIFIED, "nru"))),
    near_zero("a/b: NMRU and NRU solve more than 1/a beside b on U[0,1) and U[0,0.1), on average",
              *(Means(small(name, "div", 2, "0.1", "1"), ABOVE, small(name, "reciprocal", 2, "0.1", "1"))
                for name in NEW)),
    near_zero("a/b: nothing is solved on U[0,1e-4)",
              *(nowhere(small(name, "div", 2, "0.0001"), ABOVE, 0.0) for name in (MODIFIED, *NEW))),
)  # fmt: skip


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
    Statement("mistry2023, figure G.1", "NRU: a tanh scale of 1000 solves the most on average", "division-nru",
              both(*(Means(nru("rate 1"), AT_LEAST, nru(f"tanh scale {s}")) for s in (1, 10, 100)))),
    Statement("mistry2023, figure G.4", "NRU: a rate of 1 solves all ranges fully", "division-nru",
              everywhere(nru("rate 1"), EQUAL, 1.0)),
    Statement("mistry2023, figure G.4", "NRU: the smaller the rate, the fewer runs are solved on average",
              "division-nru",
              both(*(Means(nru(f"rate {a}"), AT_LEAST, nru(f"rate {b}"))
                     for a, b in (("1", "0.1"), ("0.1", "0.01"), ("0.01", "0.001"))))),
    Statement("mistry2023, figure G.9", "NRU, 10 inputs: a separate sign makes no difference (within 0.1)",
              "division-nru", everywhere(nru("separate sign", 10), ABOUT, nru("rate 0.001", 10))),
    Statement("mistry2023, figure G.5", "NPU: free complex weights hinder success on negative ranges",
              "division-npu",
              Means(npu("no constraints", NEGATIVE), BELOW, unit(MODIFIED, 10, NEGATIVE))),
    Statement("mistry2023, figure G.5", "NPU: clipped and penalised, it is no better than the Real NPU (within 0.1)",
              "division-npu", Means(npu("clip and penalty"), AT_MOST, REAL_10, 0.1)),
    ablation("figure G.6", "Without sign and clipping the NMRU solves less than half on most ranges",
             at_least(5, nmru("none"), BELOW, 0.5)),
    ablation("figure G.6", "Clipping alone does not solve negative ranges fully, but U[-2,2)",
             everywhere(nmru("clip only", NEGATIVE), BELOW, 1.0),
             everywhere(nmru("clip only", SIGNS), EQUAL, 1.0)),
    ablation("figure G.6", "The sign alone solves more than neither on negative ranges, on average",
             Means(nmru("sign only", NEGATIVE), ABOVE, nmru("none", NEGATIVE))),
    ablation("figure G.6", "The sign alone solves less on U[-2,2) than clipping alone",
             everywhere(nmru("sign only", SIGNS), BELOW, nmru("clip only", SIGNS))),
    ablation("figure G.6", "Sign and clipping together solve the most on average",
             *(Means(nmru(FULL), ABOVE, nmru(name)) for name in ("none", "sign only", "clip only"))),
    ablation("figure G.6", "A gate hinders", Means(nmru("sign, clip and gate"), BELOW, nmru(FULL))),
    ablation("figure G.7", "A rate of 1e-3 solves less on U[-2,2) than 1e-2",
             everywhere(nmru("rate 0.001", SIGNS), BELOW, nmru("rate 0.01", SIGNS))),
    ablation("figure G.7", "A rate of 0.1 solves nothing on several ranges",
             at_least(2, nmru("rate 0.1"), EQUAL, 0.0)),
    ablation("figure G.8", "Adam beats SGD on 7 of 9 ranges",
             exactly(7, nmru("rate 0.01"), ABOVE, nmru("SGD, rate 0.01"))),
    ablation("figure G.8", "SGD beats Adam on no range",
             nowhere(nmru("SGD, rate 0.01"), ABOVE, nmru("rate 0.01"))),
)  # fmt: skip


def loss(name: str, setting: str, ranges: tuple[str, ...] = NINE) -> Series:
    """Return a unit under a loss."""
    return series(name, "div", 10, setting, ranges)


OTHER_LOSSES = ("PCC", "MAPE", "PCC-MSE")
LOSSES = (
    Statement("mistry2023, section 6.3.3", "Real NPU: PCC and MAPE solve U[-2,2), which MSE never does",
              "division-losses",
              both(nowhere(loss(MODIFIED, "MSE", SIGNS), ABOVE, 0.0),
                   *(everywhere(loss(MODIFIED, name, SIGNS), ABOVE, 0.0) for name in OTHER_LOSSES))),
    Statement("mistry2023, section 6.3.3", "Real NPU: PCC and MAPE solve less on negative ranges, on average",
              "division-losses",
              both(*(Means(loss(MODIFIED, name, NEGATIVE), BELOW, loss(MODIFIED, "MSE", NEGATIVE))
                     for name in ("PCC", "MAPE")))),
    Statement("mistry2023, section 6.3.3", "NRU: every loss solves more on positive ranges, on average",
              "division-losses",
              both(*(Means(loss("nru", name, POSITIVE), ABOVE, loss("nru", name, NEGATIVE))
                     for name in ("MSE", *OTHER_LOSSES)))),
    Statement("mistry2023, section 6.3.3", "NMRU: PCC, then MSE, solves the least on average", "division-losses",
              both(*(Means(loss("nmru", "PCC-MSE"), BELOW, loss("nmru", name))
                     for name in ("MSE", "PCC", "MAPE")))),
    Statement("mistry2023, section 6.3.3", "NMRU: three of four losses solve at least 0.9 on U[-2,2)",
              "division-losses",
              at_least(3, Series(tuple(key for name in ("MSE", *OTHER_LOSSES)
                                       for key in loss("nmru", name, SIGNS).keys)), AT_LEAST, 0.9)),
)  # fmt: skip
STATEMENTS = (*REAL_NPU, *UNIFORM, *MIXED_SIGNS, *SMALL, *VARIANTS, *LOSSES)
