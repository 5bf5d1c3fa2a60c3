"""What papers state in words about the experiments: counts and orderings, judged by our runs."""

from nalm.experiments.statements import dataset, division, division_variants, single_module
from nalm.experiments.statements.samples import Samples as Samples
from nalm.experiments.statements.statement import Finding as Finding
from nalm.experiments.statements.statement import Statement as Statement
from nalm.experiments.statements.statement import findings as findings

STATEMENTS = (
    *single_module.STATEMENTS,
    *division.STATEMENTS,
    *division_variants.STATEMENTS,
    *dataset.STATEMENTS,
)
"""Every statement, by experiment."""
