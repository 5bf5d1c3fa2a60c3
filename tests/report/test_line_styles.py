"""Lines of cells: units have the colors they have elsewhere, settings have dashes."""

from nalm.report.charts import COLORS
from nalm.report.line_styles import DASHES, line_styles


def test_the_color_is_the_unit_and_the_dashes_its_setting():
    cells = {"nmu": "nmu", "nmu · MAPE": "nmu", "snmu · MAPE": "snmu", "nmu · z": "nmu"}
    found = line_styles(cells, ["mul", "nmu", "snmu"])
    color, dash = (found[name].to_dict()["scale"] for name in ("color", "strokeDash"))
    assert color["domain"] == dash["domain"] == list(cells)
    assert color["range"] == [COLORS[1], COLORS[1], COLORS[2], COLORS[1]]
    assert dash["range"] == [list(DASHES[i]) for i in (0, 1, 0, 2)]
