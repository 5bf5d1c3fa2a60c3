"""Pictures of units: landscapes, surfaces, ways of weights; those of the papers by name.

Each function returns a frozen dataclass with the arrays, `.chart()` for a notebook and
`.save(path)` for a file. Charts need the extra `report`.
"""

from nalm.plots._drawing import Mark as Mark
from nalm.plots._picture import Panels as Panels
from nalm.plots._picture import Picture as Picture
from nalm.plots._plane import Samples as Samples
from nalm.plots.catalogue import PICTURES as PICTURES
from nalm.plots.catalogue import Entry as Entry
from nalm.plots.catalogue import picture as picture
from nalm.plots.equations import batch_noise as batch_noise
from nalm.plots.equations import effective as effective
from nalm.plots.equations import gold as gold
from nalm.plots.equations import moments as moments
from nalm.plots.equations import penalty as penalty
from nalm.plots.equations import schedule as schedule
from nalm.plots.grids import Grid as Grid
from nalm.plots.landscape import Landscape as Landscape
from nalm.plots.landscape import landscape as landscape
from nalm.plots.lines import Lines as Lines
from nalm.plots.lines import Series as Series
from nalm.plots.runs import Gates as Gates
from nalm.plots.runs import gates as gates
from nalm.plots.runs import predictions as predictions
from nalm.plots.starts import Starts as Starts
from nalm.plots.starts import starts as starts
from nalm.plots.stored import gates_of as gates_of
from nalm.plots.stored import paths_of as paths_of
from nalm.plots.surface import Shown as Shown
from nalm.plots.surface import Surface as Surface
from nalm.plots.surface import Surfaces as Surfaces
from nalm.plots.surface import surfaces as surfaces
from nalm.plots.trajectories import Trajectories as Trajectories
from nalm.plots.trajectories import trajectories as trajectories
from nalm.plots.two_layers import two_layers as two_layers
