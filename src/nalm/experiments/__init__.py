"""Published experiments as data: what is run, and under which name."""

from nalm.experiments.single_module import single_module_runs

EXPERIMENTS = {"single-module": single_module_runs}
"""The function that plans the runs of each experiment, by its name."""
