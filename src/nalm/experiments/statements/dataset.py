"""What the papers state about the arithmetic dataset task, gates and compositions."""

from nalm.experiments.statements.claims import (
    NINE,
    Claim,
    Means,
    Relation,
    Series,
    both,
    everywhere,
    nowhere,
    series,
)
from nalm.experiments.statements.statement import Statement
from nalm.sweeps.types import CellKey

ABOVE, BELOW = Relation.ABOVE, Relation.BELOW
AT_LEAST = Relation.AT_LEAST
UNIT = ("U[1,2)",)


def model(name: str, op: str, setting: str = "", ranges: tuple[str, ...] = UNIT) -> Series:
    """Return a model of two layers with 100 inputs."""
    return series(name, op, 100, setting, ranges)


def table(text: str, *claims: Claim, where: str = "section 4.1") -> Statement:
    """Return a statement about the main table."""
    return Statement(f"madsen2020, {where}", text, "arithmetic-dataset", both(*claims))


def beats(name: str, op: str, *others: str) -> list[Claim]:
    """Claim that a model solves more than others."""
    return [everywhere(model(name, op), ABOVE, model(other, op)) for other in others]


TABLE = (
    table(
        "×: the NMU solves more than NAC, NALU and the gated unit",
        *beats("nmu", "mul", "nac_mul", "nalu", "gated_nau_nmu"),
    ),
    table(
        "×: the NMU is solved earlier than the NAC and its σ form",
        *(
            everywhere(model("nmu", "mul").steps(), BELOW, model(name, "mul").steps())
            for name in ("nac_mul", "nac_mul_sigma")
        ),
    ),
    table(
        "+ and −: the NAU solves more than the NALU",
        *beats("nau", "add", "nalu"),
        *beats("nau", "sub", "nalu"),
    ),
    table(
        "+ and −: the NAU is solved earlier than the NAC",
        *(
            everywhere(model("nau", op).steps(), BELOW, model("nac", op).steps())
            for op in ("add", "sub")
        ),
    ),
    table(
        "+ and −: the NAU is sparser than the NAC",
        *(
            everywhere(model("nau", op).sparsity(), BELOW, model("nac", op).sparsity())
            for op in ("add", "sub")
        ),
    ),
    table(
        "÷: no model learns it",
        *(
            nowhere(model(name, "div"), ABOVE, 0.0)
            for name in ("nmu", "nac_mul", "nac_mul_sigma", "nac_mul_nmu", "nalu", "gated_nau_nmu")
        ),
        where="table 6",
    ),
    table(
        "z²: the NMU solves more than the NAC", *beats("nmu", "square", "nac_mul"), where="table 6"
    ),
    Statement(
        "madsen2020, section 1.1",
        "(a + b)(a + b + c + d): NMU, then NALU, then NAC, by success",
        "ten-parameters",
        both(
            everywhere(
                series("nmu", "mul", 4, ranges=UNIT), ABOVE, series("nalu", "mul", 4, ranges=UNIT)
            ),
            everywhere(
                series("nalu", "mul", 4, ranges=UNIT),
                ABOVE,
                series("nac_mul", "mul", 4, ranges=UNIT),
            ),
        ),
    ),
    Statement(
        "madsen2020, section 4.1.3",
        "The NMU beats the NAC at 10 hidden units",
        "arithmetic-dataset-hidden",
        everywhere(model("nmu", "mul", "hidden 10"), ABOVE, model("nac_mul", "mul", "hidden 10")),
    ),
    Statement(
        "madsen2020, section 4.1.3",
        "The NMU beats the NAC on U[-2,-1) and U[-2,2)",
        "arithmetic-dataset-ranges",
        everywhere(
            model("nmu", "mul", ranges=("U[-2,-1)", "U[-2,2)")),
            ABOVE,
            model("nac_mul", "mul", ranges=("U[-2,-1)", "U[-2,2)")),
        ),
    ),
    Statement(
        "madsen2020, appendix C.5",
        "×: a gated NAU and NMU solves more than a NALU, shared or separate",
        "gating",
        both(
            *(
                everywhere(model("gated_nau_nmu", "mul"), ABOVE, model(name, "mul"))
                for name in ("nalu shared", "nalu separate")
            )
        ),
    ),
    Statement(
        "madsen2020, appendix C.5",
        "+: a NALU with separate weights solves more than with shared ones",
        "gating",
        everywhere(model("nalu separate", "add"), ABOVE, model("nalu shared", "add")),
    ),
    Statement(
        "madsen2020, appendix C.6",
        "A penalty of scale 10 makes the NMU sparser than none",
        "arithmetic-dataset-regularisation",
        everywhere(
            model("nmu", "mul", "λ = 10").sparsity(), BELOW, model("nmu", "mul", "λ = 0").sparsity()
        ),
    ),
)
BOTH_NARROW = ("U[-1.2,-1.1)", "U[1.1,1.2)")
BETTER = ("U[-0.2,-0.1)", "U[-2,2)", "U[0.1,0.2)")
NOISE = "arithmetic-dataset-stochastic"
NOISY = (
    Statement(
        "mistry2023, section 4.5",
        "The sNMU beats the NMU on U[-0.2,-0.1), U[-2,2) and U[0.1,0.2)",
        NOISE,
        everywhere(model("snmu", "mul", ranges=BETTER), ABOVE, model("nmu", "mul", ranges=BETTER)),
    ),
    Statement(
        "mistry2023, section 4.5",
        "Neither is solved on U[-1.2,-1.1) and U[1.1,1.2)",
        NOISE,
        both(
            *(
                nowhere(model(name, "mul", ranges=BOTH_NARROW), ABOVE, 0.0)
                for name in ("nmu", "snmu")
            )
        ),
    ),
    Statement(
        "mistry2023, section 4.5",
        "stgNMU and noise on gradients solve less than the NMU, on average",
        NOISE,
        both(
            *(
                Means(model(name, "mul", ranges=NINE), BELOW, model("nmu", "mul", ranges=NINE))
                for name in ("stgnmu", "nmu gradient noise")
            )
        ),
    ),
    Statement(
        "mistry2023, figure 4.8",
        "Noise below one solves less than U[1,5], on U[1,2)",
        "arithmetic-dataset-noise-ranges",
        both(
            *(
                everywhere(model("snmu", "mul", name), BELOW, model("snmu", "mul", "U[1,5]"))
                for name in ("U[0.01,0.05]", "U[0.1,0.5]")
            )
        ),
    ),
    Statement(
        "mistry2023, figure 4.8",
        "U[1,5] solves the most of all noise ranges, on average",
        "arithmetic-dataset-noise-ranges",
        both(
            *(
                Means(
                    model("snmu", "mul", "U[1,5]", NINE), AT_LEAST, model("snmu", "mul", name, NINE)
                )
                for name in ("U[0.01,0.05]", "U[0.1,0.5]", "U[1,2]", "U[5,10]", "U[10,20]")
            )
        ),
    ),
    Statement(
        "mistry2023, section 6.3.1",
        "MAPE solves nothing, with NMU and sNMU",
        "arithmetic-dataset-losses",
        both(*(nowhere(model(name, "mul", "MAPE", NINE), ABOVE, 0.0) for name in ("nmu", "snmu"))),
    ),
    Statement(
        "mistry2023, section 6.3.1",
        "PCC, then MSE, solves some on every range with the NMU",
        "arithmetic-dataset-losses",
        everywhere(model("nmu", "mul", "PCC-MSE", NINE), ABOVE, 0.0),
    ),
)


def composed(name: str, *ops: str, setting: str = "") -> Series:
    """Return a network on compositions."""
    return Series(tuple(CellKey(name, op, "U[1,2)", 4, setting) for op in ops))


GATED = ("add-sub", "add-mul", "sub-add", "mul-mul")
COMPOSED = "mistry2023, section 7.3"
COMPOSITIONS = (
    Statement(
        COMPOSED,
        "A gated NAU and NMU learns add-sub, add-mul, sub-add and mul-mul (some runs)",
        "composition",
        everywhere(composed("gated nau-nmu", *GATED), ABOVE, 0.0),
    ),
    Statement(
        COMPOSED,
        "The same, if the gate is penalised as in iNALU",
        "composition-gates",
        everywhere(composed("gated nau-nmu", *GATED, setting="gate penalty 10"), ABOVE, 0.0),
    ),
    Statement(
        COMPOSED,
        "Recurrent NAU, NAU and NMU learns add-add and sub-sub (some runs)",
        "composition",
        everywhere(composed("recurrent nau-nau-nmu", "add-add", "sub-sub"), ABOVE, 0.0),
    ),
    Statement(
        COMPOSED,
        "It does not learn add-mul in most runs",
        "composition",
        everywhere(composed("recurrent nau-nau-nmu", "add-mul"), BELOW, 0.5),
    ),
    Statement(
        COMPOSED,
        "MLP and quadratic layers fail outside their range (error above 1 for mul-mul)",
        "composition",
        both(
            *(
                everywhere(composed(name, "mul-mul").errors(), ABOVE, 1.0)
                for name in ("mlp", "quadratic 2")
            )
        ),
    ),
)
STATEMENTS = (*TABLE, *NOISY, *COMPOSITIONS)
