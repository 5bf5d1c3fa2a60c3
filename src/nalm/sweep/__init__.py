"""Carry runs out and keep what comes of them."""

from nalm.engine.entry import Entry as Entry
from nalm.engine.entry import entry_of as entry_of
from nalm.sweep.sweep import Progress as Progress
from nalm.sweep.sweep import sweep as sweep
from nalm.sweep.table import Table as Table
from nalm.sweep.table import rows_of as rows_of
