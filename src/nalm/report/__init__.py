"""One page to look at: charts with intervals and published values, curves, formulas, failures."""

from nalm.report.write import write_report as write_report
