"""Where progress is shown: a bar on a terminal or in a notebook, plain lines elsewhere."""

import sys
import time
from html import escape
from io import StringIO
from typing import Any, Protocol, TextIO

from nalm._internal.printable import printable
from nalm._internal.progress.events import Event

INTERVAL = 60.0
"""Seconds between plain lines."""
REFRESH = 0.2
"""Seconds between two states of a bar."""
WIDTH = 79
"""The most characters of a live line."""


class Display(Protocol):
    """Something that shows events."""

    def show(self, event: Event) -> None:
        """Show an event, or pass it over if the last one was shown just now."""

    def close(self) -> None:
        """Show the last event and leave the screen tidy."""


def display(stream: TextIO | None = None) -> Display:
    """Return the display that suits where the output goes; the stream is stderr if absent."""
    if stream is None and (notebook := _notebook()):
        return notebook
    shown: TextIO = stream or sys.stderr or StringIO()  # a process without stderr shows nothing
    return LiveLine(shown) if shown.isatty() else PlainLines(shown)


def _notebook() -> "NotebookBar | None":
    """Return a bar for the notebook that runs this code, if one does."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return NotebookBar() if shell is not None and hasattr(shell, "kernel") else None


class PlainLines:
    """One line a minute, for files and logs."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.last = time.monotonic()

    def show(self, event: Event) -> None:
        """Print the event if a minute has passed, and the start of a long sweep."""
        now = time.monotonic()
        if event.announcement:
            print(printable(event.announcement), file=self.stream, flush=True)
        elif now - self.last >= INTERVAL:
            self.last = now
            print(printable(event.line), file=self.stream, flush=True)

    def close(self) -> None:
        """Print nothing more."""


class LiveLine:
    """One line on a terminal that changes in place, with a bar where the share is known."""

    BAR = 20

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.last = -REFRESH
        self.waiting: Event | None = None

    def show(self, event: Event) -> None:
        """Replace the line."""
        self.waiting = event
        if time.monotonic() - self.last >= REFRESH:
            self._draw(event)

    def close(self) -> None:
        """Clear the line."""
        if self.waiting is not None:
            print("\r\x1b[K", end="", file=self.stream, flush=True)

    def _draw(self, event: Event) -> None:
        self.last = time.monotonic()
        line = printable(event.line)
        text = line if event.share is None else f"{self._bar(event.share)} {line}"
        print(f"\r\x1b[K{text[:WIDTH]}", end="", file=self.stream, flush=True)

    def _bar(self, share: float) -> str:
        full = int(share * self.BAR)
        return f"[{'#' * full}{'.' * (self.BAR - full)}]"


class NotebookBar:
    """A bar below the cell of a notebook."""

    def __init__(self) -> None:
        self.handle: Any = None
        self.last = -REFRESH
        self.waiting: Event | None = None

    def show(self, event: Event) -> None:
        """Replace what the cell shows."""
        self.waiting = event
        if time.monotonic() - self.last >= REFRESH:
            self._draw(event)

    def close(self) -> None:
        """Show the last event, which a state shown just before may have hidden."""
        if self.waiting is not None:
            self._draw(self.waiting)

    def _draw(self, event: Event) -> None:
        from IPython.display import HTML, display

        self.last = time.monotonic()
        value = "" if event.share is None else f' value="{event.share:.4f}"'
        shown = HTML(
            f'<progress max="1"{value} style="width: 20em; vertical-align: middle"></progress> '
            f"{escape(event.line)}"
        )
        if self.handle is None:
            self.handle = display(shown, display_id=True)
        else:
            self.handle.update(shown)
