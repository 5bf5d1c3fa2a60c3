"""A run and its place in an experiment."""

from dataclasses import dataclass

from nalm.engine.run import Run
from nalm.networks.layers import title
from nalm.tasks import label, threshold


@dataclass(frozen=True)
class Entry:
    """What is to be run, what it is called in tables, and when it counts as a success."""

    run: Run
    experiment: str
    name: str
    """The name of the model."""
    setting: str
    """What else distinguishes it."""
    threshold: float
    """The test error below which it is a success."""

    @property
    def place(self) -> tuple[str, str, str, int, str]:
        """The cell of its table."""
        task = self.run.task
        return self.name, task.op, label(task.train), task.inputs, self.setting


def entry_of(run: Run) -> Entry:
    """Return a run of no experiment, called by its layers."""
    return Entry(run, "", title(run.model), "", threshold(run.task))
