"""The table of compositions: published beside ours, nothing hidden, text escaped."""

from dataclasses import replace

from nalm.report.compositions import compositions
from nalm.report.html import environment
from nalm.sweeps import Comparison
from nalm.sweeps.statistics import Verdict
from report_cases import key, published, summary


def judged(op: str, unit: str, equal: int | None, *comparisons: Comparison):
    return replace(summary(key(unit, op), *comparisons, solved=1, runs=25), equal=equal)


def html(*cells) -> str:
    targets = {cell.key: "x3*(x1 + x2)" for cell in cells if cell.key.op == "add-mul"}
    table = compositions(cells, targets)
    template = environment().get_template("compositions.html")
    return str(template.make_module().compositions_table(table))  # pyright: ignore[reportAttributeAccessIssue]


def test_a_line_per_task_and_a_column_per_network():
    text = html(
        judged("add-mul", "frozen", 25, published(1.0, Verdict.AGREES)),
        judged("mul-add", "frozen", 0, published(1.0, Verdict.DIFFERS)),
        judged("add-mul", "<b>mine</b>", 3),
    )
    assert text.count("<tr>") == 3  # heads and two tasks
    assert "<b>25 of 25</b> ✓ (1)<br>0.87 to 1.00<br>published 1" in text
    assert "<b>0 of 25</b> ✗" in text
    assert "<b>3 of 25</b> (1)" in text
    assert "add-mul<br><code>x3*(x1 + x2)</code>" in text
    assert "not run" in text
    assert "1 of 2<br>published 2 of 2" in text
    assert "&lt;b&gt;mine&lt;/b&gt;" in text


def test_many_tasks_are_folded_away():
    few = [judged(f"{a}-{b}", "frozen", 0) for a in ("add", "mul") for b in ("add", "mul")]
    many = [judged("-".join(("add",) * n), "frozen", 0) for n in range(2, 70)]
    assert '<details class="compositions" open>' in html(*few)
    assert '<details class="compositions">' in html(*many)


def test_the_same_task_on_two_ranges_has_two_lines():
    first, second = judged("a - b", "nau", 3), judged("a - b", "nau", 4)
    text = html(first, replace(second, key=second.key._replace(range="U[5,9)")))
    assert "3 of 25" in text
    assert "<td>a - b<br>U[5,9)</td>" in text
    assert "4 of 25" in text
    assert "Published" not in text


def test_nothing_without_algebra():
    assert compositions([judged("add", "nau", None)], {}) is None
