"""Pages from Jinja2 templates: one HTML file each, nothing fetched, every text escaped."""

import json
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from nalm.report import numbers

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, *, title: str, data: Any, script: str, **view: Any) -> str:
    """Return a page.

    Parameters
    ----------
    template
        The name of a template that extends `base.html`.
    title
        The title and first heading.
    data
        What the script of the page draws, as JSON can hold it.
    script
        The name of the script among the assets.
    view
        What the template shows. Texts are escaped.
    """
    return (
        environment()
        .get_template(template)
        .render(title=title, data=data, script=script, asset=_asset, vega=_vega, **view)
    )


@lru_cache
def environment() -> "Environment":
    """Return the templates, with their filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("nalm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= numbers.FILTERS | {"script_json": script_json}
    return templates


def _asset(name: str) -> "Markup":
    """Return a style or script of this package, which needs no escaping."""
    from markupsafe import Markup

    return Markup((files("nalm.report") / "assets" / name).read_text(encoding="utf-8"))


def _vega() -> "Markup":
    from markupsafe import Markup
    from vl_convert import javascript_bundle

    return Markup(javascript_bundle())  # pyright: ignore[reportCallIssue]


def script_json(data: Any) -> "Markup":
    r"""Return JSON that cannot end the script it is in.

    >>> print(script_json(["</script>"]))
    ["\u003c/script>"]
    """
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
