"""The table of compositions: published beside ours, nothing hidden, text escaped."""

from nalm.report.compositions import compositions


def row(op, unit, equal, published=None, verdict=None):
    return {
        "op": op, "unit": unit, "setting": "", "equal": equal, "equal_low": 0.87, "equal_high": 1.0,
        "successes": 1, "runs": 25, "published": published, "verdict": verdict,
    }  # fmt: skip


def test_a_line_per_task_and_a_column_per_network():
    html = compositions(
        [
            row("add-mul", "frozen", 25, 1.0, "agrees"),
            row("mul-add", "frozen", 0, 1.0, "differs"),
            row("add-mul", "<b>mine</b>", 3),
        ]
    )
    assert html.count("<tr>") == 3  # heads and two tasks
    assert "<b>25 of 25</b> (1)<br>0.87 to 1.00<br>in print 1" in html
    assert 'class="differs"><b>0 of 25</b>' in html
    assert "add-mul<br><code>x3*(x1 + x2)</code>" in html
    assert "not run" in html
    assert "1 of 2<br>in print 2 of 2" in html
    assert "&lt;b&gt;mine&lt;/b&gt;" in html


def test_many_tasks_are_folded_away():
    few = [row(f"{a}-{b}", "frozen", 0) for a in ("add", "mul") for b in ("add", "mul")]
    many = [row("-".join(("add",) * n), "frozen", 0) for n in range(2, 70)]
    assert '<details class="compositions" open>' in compositions(few)
    assert '<details class="compositions">' in compositions(many)


def test_nothing_without_algebra():
    assert compositions([row("add", "nau", None)]) == ""
