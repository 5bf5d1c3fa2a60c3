"""What every page is made of: one HTML file, nothing fetched."""

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any


def whole_page(title: str, main: str, data: Any, script: str) -> str:
    """Return a page with the name of its script among the assets; `main` is HTML."""
    from vl_convert import javascript_bundle

    texts = {
        "title": escape(title),
        "main": main,
        "style": asset("page.css"),
        "vega": javascript_bundle(),  # pyright: ignore[reportCallIssue]
        "data": script_json(data),
        "script": asset("theme.js") + asset(script),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: texts[place[1]], asset("page.html"))


def asset(name: str) -> str:
    """Return the text of an asset."""
    return (files("nalm.report") / "assets" / name).read_text(encoding="utf-8")


def script_json(data: Any) -> str:
    """Return JSON that cannot end the script it is in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def table(heads: Sequence[str], lines: Sequence[str]) -> str:
    """Return a table of these lines."""
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def line(*cells: str, mark: str = "") -> str:
    """Return a row of a table; its cells are HTML."""
    kind = f' class="{escape(mark.replace(" ", "-"))}"' if mark else ""
    return f"<tr{kind}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
