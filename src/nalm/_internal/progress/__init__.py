"""How far a sweep or a search is, and who is shown it."""

from nalm._internal.progress.events import Event as Event
from nalm._internal.progress.events import SearchProgress as SearchProgress
from nalm._internal.progress.events import SweepProgress as SweepProgress
from nalm._internal.progress.events import duration as duration
from nalm._internal.progress.watching import SearchWatch as SearchWatch
from nalm._internal.progress.watching import SweepWatch as SweepWatch
from nalm._internal.progress.watching import Watcher as Watcher
from nalm._internal.progress.watching import watching as watching
