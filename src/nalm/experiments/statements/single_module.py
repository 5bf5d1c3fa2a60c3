"""What the papers state about the single module task, noise for the NMU, and plain networks."""

from nalm.experiments.operands import ACTIVATIONS
from nalm.experiments.statements.claims import (
    Apart,
    Count,
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
from nalm.experiments.statements.statement import Statement
from nalm.sweeps.types import CellKey

ABOVE, BELOW, EQUAL = Relation.ABOVE, Relation.BELOW, Relation.EQUAL
AT_LEAST, AT_MOST, ABOUT = Relation.AT_LEAST, Relation.AT_MOST, Relation.ABOUT
NARROW = ("U[-1.2,-1.1)", "U[1.1,1.2)")
OTHERS = ("U[-20,-10)", "U[-2,-1)", "U[-0.2,-0.1)", "U[-2,2)", "U[0.1,0.2)", "U[1,2)", "U[10,20)")
NEGATIVE = ("U[-20,-10)", "U[-2,-1)", "U[-1.2,-1.1)", "U[-0.2,-0.1)")
POSITIVE = ("U[0.1,0.2)", "U[1,2)", "U[1.1,1.2)", "U[10,20)")
MIXED, UNIT = ("U[-2,2)",), ("U[1,2)",)
HARD = ("U[-2,-1)", "U[-1.2,-1.1)")
LOW = ("U[0.1,0.2)", "U[10,20)", "U[-2,2)")
BUT_LARGE = ("U[-20,-10)", *HARD, "U[-0.2,-0.1)", "U[-2,2)", "U[0.1,0.2)", "U[1,2)", "U[1.1,1.2)")
BENCHMARKED = {
    "add": ("nac", "nalu", "gnalu"),
    "sub": ("nac", "nalu", "gnalu", "inalu"),
    "mul": ("nac_mul", "nalu", "gnalu", "inalu", "nmu", "npu", "real_npu"),
    "div": ("nac_mul", "nalu", "gnalu", "inalu", "npu", "real_npu"),
}
"""The units of the benchmark that do not solve all ranges, by operation."""
RESULTS, EXPERIMENT = "mistry2023, section 3.3.2", "single-module"


def not_all(op: str) -> list[Count]:
    """Claim that no unit solves all nine ranges fully."""
    return [Count(series(unit, op), EQUAL, 1.0, 0, 8) for unit in BENCHMARKED[op]]


def benchmark(text: str, *claims: Count | Means | Apart) -> Statement:
    """Return a statement about the benchmark."""
    return Statement(RESULTS, text, EXPERIMENT, both(*claims))


BENCHMARK = (
    benchmark(
        "+: the NAU is solved fully on all ranges", everywhere(series("nau", "add"), EQUAL, 1.0)
    ),
    benchmark(
        "+: the iNALU is solved fully on all ranges", everywhere(series("inalu", "add"), EQUAL, 1.0)
    ),
    benchmark(
        "+: the iNALU takes more steps than the NAU",
        everywhere(series("inalu", "add").steps(), ABOVE, series("nau", "add").steps()),
    ),
    benchmark(
        "+: the iNALU is less sparse than the NAU",
        everywhere(series("inalu", "add").sparsity(), ABOVE, series("nau", "add").sparsity()),
    ),
    benchmark(
        "+: the NALU solves less than half on U[0.1,0.2), U[10,20) and U[-2,2)",
        everywhere(series("nalu", "add", ranges=LOW), BELOW, 0.5),
    ),
    benchmark(
        "+: the G-NALU is solved on 4 of 9 ranges", exactly(4, series("gnalu", "add"), ABOVE, 0.0)
    ),
    benchmark(
        "+: the G-NALU has the lowest mean success of all",
        *(
            Means(series("gnalu", "add"), BELOW, series(u, "add"))
            for u in ("nac", "nalu", "nau", "inalu")
        ),
    ),
    benchmark(
        "−: the NAU is solved fully on all ranges", everywhere(series("nau", "sub"), EQUAL, 1.0)
    ),
    benchmark(
        "−: the NAU takes more than twice the steps on U[-1.2,-1.1) and U[1.1,1.2)",
        Apart(
            series("nau", "sub", ranges=NARROW).steps(),
            2.0,
            series("nau", "sub", ranges=OTHERS).steps(),
        ),
    ),
    benchmark(
        "−: NAC, NALU and G-NALU are near 0 (at most 0.1) on these two ranges",
        *(
            everywhere(series(u, "sub", ranges=NARROW), AT_MOST, 0.1)
            for u in ("nac", "nalu", "gnalu")
        ),
    ),
    benchmark(
        "−: the iNALU solves at least 0.4 on these two ranges",
        everywhere(series("inalu", "sub", ranges=NARROW), AT_LEAST, 0.4),
    ),
    benchmark(
        "−: the iNALU is solved fully on the other 7 ranges",
        everywhere(series("inalu", "sub", ranges=OTHERS), EQUAL, 1.0),
    ),
    benchmark(
        "−: the iNALU takes more steps than the NAU on these 7 ranges",
        everywhere(
            series("inalu", "sub", ranges=OTHERS).steps(),
            ABOVE,
            series("nau", "sub", ranges=OTHERS).steps(),
        ),
    ),
    benchmark(
        "The NALU subtracts no better than it adds, except on U[10,20)",
        everywhere(
            series("nalu", "sub", ranges=BUT_LARGE),
            AT_MOST,
            series("nalu", "add", ranges=BUT_LARGE),
        ),
    ),
    benchmark(
        "−: the NAC beats the NALU on 4 of 9 ranges",
        exactly(4, series("nac", "sub"), ABOVE, series("nalu", "sub")),
    ),
    benchmark(
        "−: the G-NALU beats the NALU on no range",
        nowhere(series("gnalu", "sub"), ABOVE, series("nalu", "sub")),
    ),
    benchmark(
        "×: NMU, iNALU, NPU and Real NPU are solved fully on U[1,2)",
        *(
            everywhere(series(u, "mul", ranges=UNIT), EQUAL, 1.0)
            for u in ("nmu", "inalu", "npu", "real_npu")
        ),
    ),
    benchmark(
        "×: the NMU is not solved fully on U[-1.2,-1.1) and U[-2,-1)",
        everywhere(series("nmu", "mul", ranges=HARD), BELOW, 1.0),
    ),
    benchmark(
        "×: NPU and Real NPU solve the same (within 0.1) on all ranges but U[-2,2)",
        everywhere(
            series("npu", "mul", ranges=(*NEGATIVE, *POSITIVE)),
            ABOUT,
            series("real_npu", "mul", ranges=(*NEGATIVE, *POSITIVE)),
        ),
    ),
    benchmark(
        "×: the NPU beats the Real NPU on U[-2,2)",
        everywhere(
            series("npu", "mul", ranges=MIXED), ABOVE, series("real_npu", "mul", ranges=MIXED)
        ),
    ),
    benchmark(
        "×: the NALU is solved on some ranges, fully on none",
        at_least(1, series("nalu", "mul"), ABOVE, 0.0),
        nowhere(series("nalu", "mul"), EQUAL, 1.0),
    ),
    benchmark(
        "×: the NAC is solved on 2 of 9 ranges", exactly(2, series("nac_mul", "mul"), ABOVE, 0.0)
    ),
    benchmark(
        "×: the NAC beats the NALU on 2 of 9 ranges",
        exactly(2, series("nac_mul", "mul"), ABOVE, series("nalu", "mul")),
    ),
    benchmark(
        "×: the iNALU beats the NALU on 7 of 9 ranges",
        exactly(7, series("inalu", "mul"), ABOVE, series("nalu", "mul")),
    ),
    benchmark(
        "×: the iNALU is solved fully on 5 of 9 ranges",
        exactly(5, series("inalu", "mul"), EQUAL, 1.0),
    ),
    benchmark(
        "×: the G-NALU beats the NALU on no range",
        nowhere(series("gnalu", "mul"), ABOVE, series("nalu", "mul")),
    ),
    benchmark("÷: no unit is solved fully on all ranges", *not_all("div")),
    benchmark(
        "÷: the iNALU is solved fully on 3 of 9 ranges",
        exactly(3, series("inalu", "div"), EQUAL, 1.0),
    ),
    benchmark(
        "÷: NPU and Real NPU are solved fully on U[1,2)",
        *(everywhere(series(u, "div", ranges=UNIT), EQUAL, 1.0) for u in ("npu", "real_npu")),
    ),
    benchmark(
        "÷: the Real NPU beats the NPU on negative ranges, on average",
        Means(
            series("real_npu", "div", ranges=NEGATIVE), ABOVE, series("npu", "div", ranges=NEGATIVE)
        ),
    ),
    benchmark(
        "÷: the NAC is solved on 4 of 9 ranges", exactly(4, series("nac_mul", "div"), ABOVE, 0.0)
    ),
    benchmark(
        "÷: NALU and G-NALU are solved on no range",
        *(nowhere(series(u, "div"), ABOVE, 0.0) for u in ("nalu", "gnalu")),
    ),
    benchmark(
        "Only NAU (+ and −) and iNALU (+) are solved fully on all ranges",
        *(claim for op in BENCHMARKED for claim in not_all(op)),
    ),
    Statement(
        "mistry2022robust, section 5",
        "×: the NAC beats the NALU on 6 of 9 ranges (against 2 in mistry2023)",
        EXPERIMENT,
        exactly(6, series("nac_mul", "mul"), ABOVE, series("nalu", "mul")),
    ),
    Statement(
        "mistry2022robust, section 5",
        "×: no unit is solved fully on all ranges",
        EXPERIMENT,
        both(*not_all("mul")),
    ),
)


def noisy(setting: str, ranges: tuple[str, ...] = (*NEGATIVE, *MIXED, *POSITIVE)) -> Series:
    """Return the NMU with noise on its gradients."""
    return series("nmu gradient noise", "mul", setting=setting, ranges=ranges)


ALL = (*NEGATIVE, *MIXED, *POSITIVE)
NMU = series("nmu", "mul", ranges=ALL)
NOISE = (
    Statement(
        "mistry2023, section 4.4",
        "The sNMU is solved fully on all ranges",
        "stochastic-alternatives",
        everywhere(series("snmu", "mul"), EQUAL, 1.0),
    ),
    Statement(
        "mistry2023, section 4.4",
        "The stgNMU (λ = 0.01) beats the NMU on U[-2,-1) and U[-1.2,-1.1)",
        "stochastic-alternatives",
        everywhere(
            series("stgnmu", "mul", setting="λ = 0.01", ranges=HARD),
            ABOVE,
            series("nmu", "mul", ranges=HARD),
        ),
    ),
    Statement(
        "mistry2023, section 4.4",
        "λ = 1 and 10 solve less than λ = 0.1 and below, on average",
        "stochastic-alternatives",
        both(
            *(
                Means(
                    series("stgnmu", "mul", setting=f"λ = {high}"),
                    BELOW,
                    series("stgnmu", "mul", setting=f"λ = {low}"),
                )
                for high in ("1", "10")
                for low in ("0.1", "0.01", "0.001")
            )
        ),
    ),
    Statement(
        "mistry2023, section 4.4",
        "Noise on gradients does not solve more than the NMU, on average",
        "stochastic-alternatives",
        both(
            *(Means(noisy(f"η = {eta}"), AT_MOST, NMU, 0.02) for eta in ("0.01", "0.3", "1", "10"))
        ),
    ),
    Statement(
        "mistry2023, section 4.4",
        "Noise on gradients (η = 10) takes more steps on most ranges",
        "stochastic-alternatives",
        at_least(5, noisy("η = 10").steps(), ABOVE, NMU.steps()),
    ),
    Statement(
        "mistry2023, section 4.4",
        "η = 10 solves less than the NMU on U[-0.2,-0.1)",
        "stochastic-alternatives",
        everywhere(
            noisy("η = 10", ("U[-0.2,-0.1)",)),
            BELOW,
            series("nmu", "mul", ranges=("U[-0.2,-0.1)",)),
        ),
    ),
    Statement(
        "mistry2023, section 6.1",
        "Min-max extrapolates with a smaller error than z-score on positive ranges",
        "feature-scaling",
        everywhere(
            series("nmu feyn batch", "mul", setting="with penalty", ranges=POSITIVE).errors(),
            BELOW,
            series("nmu z-score", "mul", setting="with penalty", ranges=POSITIVE).errors(),
        ),
    ),
    Statement(
        "mistry2023, section 1.4.1",
        "Plain networks of width 100 extrapolate on no operation",
        "mlp-extrapolation",
        both(
            *(
                nowhere(series("mlp", op, setting="width 100", ranges=UNIT), ABOVE, 0.0)
                for op in ("add", "sub", "mul", "div")
            )
        ),
    ),
)


def identity(*activations: str) -> Series:
    """Return the networks that are to repeat their input."""
    return Series(tuple(CellKey("mlp", "add", "U[-10,10)", 1, name) for name in activations))


REPORT = (
    Statement(
        "student report, section 2",
        "No network with a non-linear activation learns the identity",
        "identity",
        everywhere(identity(*ACTIVATIONS), EQUAL, 0.0),
    ),
    Statement(
        "student report, section 2",
        "PReLU is the best activation for it, none above",
        "identity",
        both(
            *(
                Means(identity("prelu"), AT_LEAST, identity(name))
                for name in ACTIVATIONS
                if name != "prelu"
            )
        ),
    ),
    Statement(
        "student report, section 2",
        "Sigmoid and tanh are the worst, none below",
        "identity",
        both(
            *(
                Means(identity(worst), AT_MOST, identity(name))
                for worst in ("sigmoid", "tanh")
                for name in ACTIVATIONS
            )
        ),
    ),
)
STATEMENTS = (*BENCHMARK, *NOISE, *REPORT)
