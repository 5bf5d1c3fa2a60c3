"""Progress that works when piped: one plain line a minute."""

import io

import nalm.progress
from nalm.progress import Reporter


def test_plain_lines_at_intervals(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(nalm.progress.time, "monotonic", lambda: clock[0])
    stream = io.StringIO()
    with Reporter(stream) as reporter:
        reporter.plan(10, 1000)
        for second in range(1, 131):
            clock[0] = float(second)
            reporter.report(second % 26 == 0, 4, second % 52 == 0)
    lines = stream.getvalue().splitlines()
    assert lines == [
        "2 of 10 runs, 1 solved, 4 run-steps/s, 190 s left",
        "4 of 10 runs, 2 solved, 4 run-steps/s, 130 s left",
    ]


def test_before_anything_is_done_the_time_left_is_unknown():
    reporter = Reporter(io.StringIO())
    reporter.plan(10, 1000)
    assert "unknown" in reporter.line()
