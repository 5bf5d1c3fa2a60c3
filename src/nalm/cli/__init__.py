"""The command line: arguments in, a public function called, a table out."""

from nalm.cli import benchmarks as benchmarks
from nalm.cli import fit as fit
from nalm.cli import listing as listing
from nalm.cli import plot as plot
from nalm.cli import report as report
from nalm.cli.app import app as app
