"""Carry runs out and keep what comes of them."""

from nalm.sweep.sweep import Progress as Progress
from nalm.sweep.sweep import Table as Table
from nalm.sweep.sweep import sweep as sweep
