"""How often as few of the authors' runs as ours have a mean step as far from theirs.

python -m benchmarks.few_runs FILE

FILE is paper/results/sft-last.csv of AndreasMadsen/stable-nalu, one line per run of table 6 of
Madsen and Johansen. For each cell of the arithmetic dataset task whose mean step differs from the
published one, draws that many of their solved runs 20,000 times.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from benchmarks.record import read_record, updated

from nalm.sweeps.statistics import Verdict
from nalm.sweeps.types import Quantity

MODELS = {
    r"$\mathrm{NAC}_{\bullet,\mathrm{NMU}}$": "nac_mul_nmu",
    r"$\mathrm{NAC}_{\bullet,\sigma}$": "nac_mul_sigma",
    r"$\mathrm{NAC}_{\bullet}$": "nac_mul",
    r"$\mathrm{NAC}_{+}$": "nac",
    "NALU": "nalu",
    "NAU": "nau",
    "NMU": "nmu",
    "Linear": "linear",
    "ReLU": "relu",
    "ReLU6": "relu6",
}
OPS = {r"$\bm{+}$": "add", r"$\bm{-}$": "sub", r"$\bm{\times}$": "mul", "$z^2$": "square"}
REPETITIONS = 20_000


def main(path):
    theirs = steps(path)
    rng = np.random.default_rng(0)
    for cell in updated(read_record(), {})["arithmetic-dataset"]:
        differing = any(
            c.quantity is Quantity.SOLVED_AT and c.verdict is Verdict.DIFFERS
            for c in cell.comparisons
        )
        if differing:
            ours = cell.estimate(Quantity.SOLVED_AT).value
            known = theirs[cell.key.unit, cell.key.op]
            means = rng.choice(known, (REPETITIONS, cell.successes)).mean(axis=1)
            far = np.abs(means - known.mean()) >= abs(ours - known.mean())
            print(
                f"{cell.key.unit} {cell.key.op}: ours {ours:,.0f} of {cell.successes} runs, "
                f"theirs {known.mean():,.0f} of {len(known)} (median {np.median(known):,.0f}); "
                f"as far in {far.mean():.1%} of draws"
            )


def steps(path):
    """Return the steps at which the authors' runs were solved, by unit and operation."""
    found = {}
    with Path(path).open(newline="") as file:
        for row in csv.DictReader(file):
            place = MODELS.get(row["model"]), OPS.get(row["operation"])
            if row["solved"] == "TRUE":
                found.setdefault(place, []).append(float(row["extrapolation.step.solved"]))
    return {place: np.array(values) for place, values in found.items()}


if __name__ == "__main__":
    main(sys.argv[1])
