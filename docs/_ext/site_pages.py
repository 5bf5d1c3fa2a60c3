"""Writes the pages that are made from code and data, before the site is built."""

import importlib
import inspect
import re
from pathlib import Path

import ranking_pages
import result_pages
import unit_pages
import unit_pictures
from sphinx.application import Sphinx

import nalm
from nalm.units import REGISTRY

ROOT = Path(__file__).parents[2]
MODULES = (
    "nalm", "nalm.units", "nalm.networks", "nalm.tasks", "nalm.training", "nalm.experiments",
    "nalm.formula", "nalm.torch", "nalm.vision", "nalm.errors",
)  # fmt: skip


def write(app: Sphinx) -> None:
    """Write all of them into the folder `generated`; what has not changed stays as it is."""
    folder = Path(app.srcdir) / "generated"
    pages = {
        "which-unit.md": ranking_pages.which_unit(),
        "leaderboard.md": ranking_pages.leaderboard(),
        "glossary.md": glossary(),
        "units/index.md": unit_pages.index(),
        "reference/index.md": reference_index(),
    }
    pages |= result_pages.pages()
    pages |= {f"units/{name}.md": unit_pages.page(name) for name in REGISTRY}
    pages |= {f"reference/{name}.md": reference(name) for name in MODULES}
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    unit_pictures.draw(folder)
    for path in folder.rglob("*.md"):
        if str(path.relative_to(folder)) not in pages:
            path.unlink()


def glossary() -> str:
    """Return the words of the project, from CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(r"## Words\n(.*?)\n## ", text, re.DOTALL)
    if found is None:
        raise ValueError("CONTRIBUTING.md has no section Words.")
    return f"# Glossary\n{found.group(1)}"


def reference_index() -> str:
    """Return the list of public modules."""
    names = "\n".join(MODULES)
    return (
        "# API reference\n\nEvery public name with its parameters and an example. A short list: "
        f"[every public name](../../api.md).\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    )


def public(name: str) -> list[str]:
    """Return the public functions and classes of a module."""
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    found = [n for n in listed if callable(getattr(module, n))]
    units = {cls.__name__ for cls in REGISTRY.values()}
    own = [n for n in found if (getattr(module, n).__module__ or "").startswith("nalm")]
    return sorted(n for n in own if n not in units)


def reference(name: str) -> str:
    """Return the page of a module: one entry for each public name."""
    module = importlib.import_module(name)
    head = (inspect.getdoc(module) or "").partition("\n")[0]
    text = f"# `{name}`\n\n{head}\n\n"
    before = MODULES[: MODULES.index(name)]
    known = {id(getattr(importlib.import_module(m), n)): m for m in before for n in public(m)}
    elsewhere = [n for n in public(name) if id(getattr(module, n)) in known]
    if elsewhere:
        where = {n: known[id(getattr(module, n))] for n in elsewhere}
        links = (f"`{n}` ([{home}]({home}.md))" for n, home in where.items())
        text += f"Described elsewhere: {', '.join(links)}.\n\n"
    text += "```{eval-rst}\n"
    for each in public(name):
        if each in elsewhere:
            continue
        thing = getattr(module, each)
        kind = "autoclass" if inspect.isclass(thing) else "autofunction"
        text += f".. {kind}:: {name}.{each}\n"
        if kind == "autoclass":
            text += "   :members:\n"
        text += "\n"
    return text + "```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages when the build starts."""
    assert nalm.__version__
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
