"""Imported once by the server that starts the processes of the fits: they start warm."""

from benchmarks.fit.methods import METHODS

METHODS["nalm"].warm()
