"""Progress: a line in place on a terminal, one plain line a minute elsewhere, or a function."""

import io

import pytest

from nalm._internal.progress import SearchWatch, SweepProgress, SweepWatch, displays, watching
from nalm.errors import InputError


@pytest.fixture
def clock(monkeypatch):
    """The time, which a test sets."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    return stream


def test_plain_lines_at_intervals(clock):
    stream = io.StringIO()
    with watching(True, stream) as watch:
        sweep = SweepWatch(watch, runs=10, steps=1000, expected=3.0)
        for second in range(1, 131):
            clock[0] = float(second)
            sweep.add(runs=second % 26 == 0, steps=4, solved=second % 52 == 0)
    assert stream.getvalue().splitlines() == [
        "2 of 10 runs, 1 solved, 4 steps/s, 3.2 min left",
        "4 of 10 runs, 2 solved, 4 steps/s, 2.2 min left",
    ]


@pytest.mark.parametrize(
    ("seconds", "announced"),
    [(59.0, ""), (7200.0, "1,234 runs to do, about 2 h. Ctrl-C keeps what is done.\n")],
)
def test_a_long_sweep_says_at_its_start_how_long_it_takes(clock, seconds, announced):
    stream = io.StringIO()
    with watching(True, stream) as watch:
        SweepWatch(watch, runs=1234, steps=10**9, expected=seconds)
    assert stream.getvalue() == announced


def test_the_time_left_is_the_estimate_until_there_is_a_rate():
    assert SweepProgress(0, 10, 0, 0, 1000, 0.0, expected=42.0).seconds_left == 42.0
    assert SweepProgress(0, 10, 0, 500, 1000, 2.0, expected=42.0).seconds_left == 2.0


def test_one_time_left_on_a_terminal(clock, monkeypatch):
    stream = terminal(monkeypatch)
    with watching(True, stream) as watch:
        sweep = SweepWatch(watch, runs=4, steps=100, expected=9.0)
        clock[0] = 1.0
        sweep.add(runs=1, steps=25)
    shown = stream.getvalue().split("\r\x1b[K")[2]
    assert shown == "[#####...............] 1 of 4 runs, 0 solved, 25 steps/s, 3 s left"
    assert stream.getvalue().count("left") == 1
    assert "\n" not in stream.getvalue()


def test_a_search_says_a_line_a_minute_and_a_live_line_on_a_terminal(clock, monkeypatch):
    piped, live = io.StringIO(), terminal(monkeypatch)
    with watching(True, piped) as quiet, watching(True, live) as shown:
        searches = [SearchWatch(quiet), SearchWatch(shown)]
        for second in (3.0, 61.0, 62.0):
            clock[0] = second
            for search in searches:
                search.add("one unit", 0.25, "a + b")
    assert piped.getvalue() == "1 min: searched one unit, best error 0.25\n"
    assert live.getvalue().count("\r\x1b[K") == 3 + 1
    assert "\n" not in live.getvalue()


def test_a_function_gets_every_event():
    events = []
    with watching(events.append) as watch:
        sweep = SweepWatch(watch, runs=2, steps=10, expected=1.0)
        sweep.add(runs=2, steps=10, solved=1)
    assert [(e.runs, e.steps, e.solved) for e in events] == [(0, 0, 0), (2, 10, 1)]


@pytest.mark.parametrize("nothing", [None, False])
def test_nobody_watches_by_default(nothing, capsys):
    with watching(nothing) as watch:
        SweepWatch(watch, runs=1, steps=1, expected=1e6)
    assert capsys.readouterr() == ("", "")


def test_something_else_is_refused():
    wrong = watching("yes")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="progress is True, False, None or a function"), wrong:
        pass


def test_a_notebook_gets_a_bar(monkeypatch):
    shown = []

    class Handle:
        def update(self, html):
            shown.append(html.data)

    def display(html, display_id):
        shown.append(html.data)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    bar = displays.NotebookBar()
    bar.show(SweepProgress(0, 2, 0, 0, 10, 0.0, 1.0))
    bar.show(SweepProgress(2, 2, 2, 10, 10, 1.0, 1.0))
    bar.close()
    assert 'value="0.0000"' in shown[0]
    assert 'value="1.0000"' in shown[-1]
    assert "2 of 2 runs, 2 solved" in shown[-1]
