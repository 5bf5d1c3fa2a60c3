"""What the thesis and the division paper state about division by one unit."""

from nalm.experiments.division import MIXED
from nalm.experiments.statements.claims import (
    NINE,
    Claim,
    Means,
    Relation,
    Series,
    at_least,
    both,
    everywhere,
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


def unit(name: str, inputs: int, ranges: tuple[str, ...] = NINE) -> Series:
    """Return a unit of the comparison over uniform ranges."""
    return series(name, "div", inputs, ranges=ranges)


def uniform(where: str, text: str, *claims: Claim) -> Statement:
    """Return a statement about the nine uniform ranges."""
    return Statement(f"mistry2023, {where}", text, "division", both(*claims))


MODIFIED, NEW = "real_npu modified", ("nru", "nmru")
UNIFORM = (
    uniform(
        "section 5.5",
        "2 inputs: NRU and NMRU are solved fully on all ranges",
        *(everywhere(unit(name, 2), EQUAL, 1.0) for name in NEW),
    ),
    uniform(
        "section 5.5",
        "2 inputs: the modified Real NPU is solved fully but on U[-2,2)",
        everywhere(unit(MODIFIED, 2, (*NEGATIVE, *POSITIVE)), EQUAL, 1.0),
        everywhere(unit(MODIFIED, 2, SIGNS), BELOW, 1.0),
    ),
    uniform(
        "section 5.5",
        "10 inputs: the modified Real NPU is at least as good as the original on all ranges",
        everywhere(unit(MODIFIED, 10), AT_LEAST, unit("real_npu", 10)),
    ),
    uniform(
        "section 5.5",
        "10 inputs: the NRU is solved on no negative range",
        nowhere(unit("nru", 10, NEGATIVE), ABOVE, 0.0),
    ),
    uniform(
        "section 5.5",
        "10 inputs: of all units only the NMRU is solved on U[-2,2)",
        everywhere(unit("nmru", 10, SIGNS), ABOVE, 0.0),
        *(nowhere(unit(name, 10, SIGNS), ABOVE, 0.0) for name in (MODIFIED, "nru", "real_npu")),
    ),
    uniform(
        "section 5.5",
        "10 inputs: the modified Real NPU beats the NMRU on negative ranges, on average",
        Means(unit(MODIFIED, 10, NEGATIVE), ABOVE, unit("nmru", 10, NEGATIVE)),
    ),
    uniform(
        "section 5.5",
        "10 inputs: the modified Real NPU takes fewer steps than the original, on average",
        Means(unit(MODIFIED, 10, POSITIVE).steps(), BELOW, unit("real_npu", 10, POSITIVE).steps()),
    ),
    Statement(
        "mistry2022division, abstract",
        "10 inputs: NMRU, then modified, then original Real NPU, by success",
        "division",
        both(
            Means(unit("nmru", 10), ABOVE, unit(MODIFIED, 10)),
            Means(unit(MODIFIED, 10), ABOVE, unit("real_npu", 10)),
        ),
    ),
)


def signed(name: str, inputs: int, *sets: int) -> Series:
    """Return a unit on sets of operands with different signs."""
    return Series(
        tuple(CellKey(name, "div", MIXED[str(n)][0].label, inputs, f"set {n}") for n in sets)
    )


def mixed(text: str, *claims: Claim) -> Statement:
    """Return a statement about operands with different signs."""
    return Statement("mistry2023, section 5.6", text, "division-mixed-signs", both(*claims))


FIVE = (1, 2, 3, 4, 5)
MIXED_SIGNS = (
    mixed(
        "2 inputs: the Real NPU is solved fully on none of the five sets, NRU and NMRU on all",
        everywhere(signed(MODIFIED, 2, *FIVE), BELOW, 1.0),
        *(everywhere(signed(name, 2, *FIVE), EQUAL, 1.0) for name in NEW),
    ),
    mixed(
        "2 inputs: the NMRU takes fewer steps where the divisor is positive",
        Means(signed("nmru", 2, 1, 2).steps(), BELOW, signed("nmru", 2, 4, 5).steps()),
    ),
    mixed(
        "10 inputs: the Real NPU solves more than with 2 on all sets but the third",
        everywhere(signed(MODIFIED, 10, 1, 2, 4, 5), ABOVE, signed(MODIFIED, 2, 1, 2, 4, 5)),
    ),
    mixed("10 inputs: the NRU is solved on no set", nowhere(signed("nru", 10, *FIVE), ABOVE, 0.0)),
    mixed(
        "10 inputs: the NMRU solves at least 0.9 on every set",
        everywhere(signed("nmru", 10, *FIVE), AT_LEAST, 0.9),
    ),
)

WIDTHS = ("0.0001", "0.001", "0.01", "0.1", "1")


def small(name: str, op: str, inputs: int, *widths: str) -> Series:
    """Return a unit on inputs near zero."""
    return Series(tuple(CellKey(name, op, f"U[0,{width})", inputs) for width in widths or WIDTHS))


def near_zero(text: str, *claims: Claim) -> Statement:
    """Return a statement about inputs near zero."""
    return Statement("mistry2023, section 5.8", text, "division-small", both(*claims))


SMALL = (
    near_zero(
        "1/a: Real NPU and NMRU are solved fully on all ranges",
        *(everywhere(small(name, "reciprocal", 1), EQUAL, 1.0) for name in (MODIFIED, "nmru")),
    ),
    near_zero(
        "1/a: the NRU is not solved fully on U[0,1e-4)",
        everywhere(small("nru", "reciprocal", 1, "0.0001"), BELOW, 1.0),
    ),
    near_zero(
        "1/a beside b: the NMRU solves more than the others on U[0,1) and U[0,0.1)",
        *(
            everywhere(
                small("nmru", "reciprocal", 2, "0.1", "1"),
                ABOVE,
                small(name, "reciprocal", 2, "0.1", "1"),
            )
            for name in (MODIFIED, "nru")
        ),
    ),
    near_zero(
        "a/b: NMRU and NRU solve more than 1/a beside b on U[0,1) and U[0,0.1), on average",
        *(
            Means(
                small(name, "div", 2, "0.1", "1"), ABOVE, small(name, "reciprocal", 2, "0.1", "1")
            )
            for name in NEW
        ),
    ),
    near_zero(
        "a/b: nothing is solved on U[0,1e-4)",
        *(nowhere(small(name, "div", 2, "0.0001"), ABOVE, 0.0) for name in (MODIFIED, *NEW)),
    ),
)


def loss(name: str, setting: str, ranges: tuple[str, ...] = NINE) -> Series:
    """Return a unit under a loss."""
    return series(name, "div", 10, setting, ranges)


OTHER_LOSSES = ("PCC", "MAPE", "PCC-MSE")
LOSSES = (
    Statement(
        "mistry2023, section 6.3.3",
        "Real NPU: PCC and MAPE solve U[-2,2), which MSE never does",
        "division-losses",
        both(
            nowhere(loss(MODIFIED, "MSE", SIGNS), ABOVE, 0.0),
            *(everywhere(loss(MODIFIED, name, SIGNS), ABOVE, 0.0) for name in OTHER_LOSSES),
        ),
    ),
    Statement(
        "mistry2023, section 6.3.3",
        "Real NPU: PCC and MAPE solve less on negative ranges, on average",
        "division-losses",
        both(
            *(
                Means(loss(MODIFIED, name, NEGATIVE), BELOW, loss(MODIFIED, "MSE", NEGATIVE))
                for name in ("PCC", "MAPE")
            )
        ),
    ),
    Statement(
        "mistry2023, section 6.3.3",
        "NRU: every loss solves more on positive ranges, on average",
        "division-losses",
        both(
            *(
                Means(loss("nru", name, POSITIVE), ABOVE, loss("nru", name, NEGATIVE))
                for name in ("MSE", *OTHER_LOSSES)
            )
        ),
    ),
    Statement(
        "mistry2023, section 6.3.3",
        "NMRU: PCC, then MSE, solves the least on average",
        "division-losses",
        both(
            *(
                Means(loss("nmru", "PCC-MSE"), BELOW, loss("nmru", name))
                for name in ("MSE", "PCC", "MAPE")
            )
        ),
    ),
    Statement(
        "mistry2023, section 6.3.3",
        "NMRU: three of four losses solve at least 0.9 on U[-2,2)",
        "division-losses",
        at_least(
            3,
            Series(
                tuple(
                    key for name in ("MSE", *OTHER_LOSSES) for key in loss("nmru", name, SIGNS).keys
                )
            ),
            AT_LEAST,
            0.9,
        ),
    ),
)
STATEMENTS = (*UNIFORM, *MIXED_SIGNS, *SMALL, *LOSSES)
