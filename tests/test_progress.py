"""Progress that works when piped: one plain line a minute."""

import io

import nalm.progress
from nalm.progress import Reporter, SearchReporter


def test_plain_lines_at_intervals(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(nalm.progress.time, "monotonic", lambda: clock[0])
    stream = io.StringIO()
    with Reporter(stream) as reporter:
        reporter.plan(10, 1000, 3.0)
        for second in range(1, 131):
            clock[0] = float(second)
            reporter.report(second % 26 == 0, 4, second % 52 == 0)
    lines = stream.getvalue().splitlines()
    assert lines == [
        "2 of 10 runs, 1 solved, 4 run-steps/s, 3.2 min left",
        "4 of 10 runs, 2 solved, 4 run-steps/s, 2.2 min left",
    ]


def test_before_anything_is_done_the_time_left_is_unknown():
    reporter = Reporter(io.StringIO())
    reporter.plan(10, 1000, 3.0)
    assert "unknown" in reporter.line()


def test_a_long_sweep_says_at_its_start_how_long_it_takes():
    stream = io.StringIO()
    Reporter(stream).plan(1234, 10**9, 59.0)
    assert stream.getvalue() == ""
    Reporter(stream).plan(1234, 10**9, 7200.0)
    assert stream.getvalue() == "1,234 runs to do: about 2 h. Ctrl-C keeps what is done.\n"


def test_a_search_says_a_line_a_minute_and_a_live_line_on_a_terminal(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(nalm.progress.time, "monotonic", lambda: clock[0])
    piped, terminal = io.StringIO(), io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    with SearchReporter(piped) as quiet, SearchReporter(terminal) as live:
        for second in (3.0, 61.0, 62.0):
            clock[0] = second
            quiet.report("one unit", 0.25)
            live.report("one unit", 0.25)
    assert piped.getvalue() == "1 min: searched one unit, best error 0.25\n"
    assert terminal.getvalue().count("\r\x1b[K") == 3 + 1
    assert "\n" not in terminal.getvalue()
