"""Many runs: trained, stored, judged and summarized."""

from nalm.sweeps.cell import Cell as Cell
from nalm.sweeps.flat import flatten as flatten
from nalm.sweeps.flat import read_row as read_row
from nalm.sweeps.reading import read_cells as read_cells
from nalm.sweeps.results import Results as Results
from nalm.sweeps.runs import CellRuns as CellRuns
from nalm.sweeps.runs import RunResult as RunResult
from nalm.sweeps.runs import Setup as Setup
from nalm.sweeps.store import Store as Store
from nalm.sweeps.summary import summarize as summarize
from nalm.sweeps.sweep import sweep as sweep
from nalm.sweeps.types import CellKey as CellKey
from nalm.sweeps.types import CellSummary as CellSummary
from nalm.sweeps.types import Comparison as Comparison
from nalm.sweeps.types import CurvePoint as CurvePoint
from nalm.sweeps.types import GroupSummary as GroupSummary
from nalm.sweeps.types import Note as Note
from nalm.sweeps.types import NoteKind as NoteKind
from nalm.sweeps.types import Quantity as Quantity
from nalm.sweeps.types import Reason as Reason
from nalm.sweeps.types import Size as Size
from nalm.sweeps.types import size_notes as size_notes
