r"""Equations as MathML, which browsers typeset without a script or a network.

It knows the part of LaTeX that the documents use; another command is a warning, hence an error of
the build.
"""

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9.]+|\s+|.", re.DOTALL)
IDENTIFIERS = {
    "sigma": "σ", "varepsilon": "ε", "epsilon": "ε", "lambda": "λ", "mu": "μ", "pi": "π",
    "omega": "ω", "eta": "η", "theta": "θ", "alpha": "α", "beta": "β", "infty": "∞",
    "Phi": "Φ", "phi": "φ",
}  # fmt: skip
OPERATORS = {
    "odot": "⊙", "cdot": "·", "sim": "∼", "in": "∈", "pm": "±", "le": "≤", "ge": "≥", "ne": "≠",
    "times": "×", "to": "→", "dots": "…", "mid": "|", "{": "{", "}": "}", "|": "‖", "approx": "≈",
}  # fmt: skip
FUNCTIONS = {"ln", "tanh", "exp", "log", "cos", "sin", "max", "min"}
LARGE = {"sum": "∑", "prod": "∏"}
SPACES = {"qquad": "2em", "quad": "1em", ",": ".17em", ";": ".28em", " ": ".3em", "!": "0"}
SIZES = {"big", "Big", "left", "right"}
WORDS = {"mathrm", "text", "operatorname", "mathbf"}


class Unknown(ValueError):
    """A command that is not known here."""


class Parser:
    """Reads LaTeX from left to right."""

    def __init__(self, text: str) -> None:
        self.tokens = [t for t in TOKEN.findall(text.strip()) if not t.isspace()]
        self.raw = TOKEN.findall(text.strip())
        self.at = 0

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def row(self, end: str | None = None) -> str:
        """Return everything up to a token, with its scripts."""
        parts = []
        while self.at < len(self.tokens) and self.tokens[self.at] != end:
            parts.append(self.scripted())
        if end is not None:
            self.next()
        return "".join(parts)

    def scripted(self) -> str:
        base, large = self.tokens[self.at], self.tokens[self.at].lstrip("\\") in LARGE
        found, below, above = self.atom(), "", ""
        while self.at < len(self.tokens) and self.tokens[self.at] in ("_", "^"):
            if self.next() == "_":
                below = self.atom()
            else:
                above = self.atom()
        if not below and not above:
            return found
        kind = "under" if large and base else "sub"
        names = {"under": ("munder", "mover", "munderover"), "sub": ("msub", "msup", "msubsup")}
        under, over, both = names[kind]
        if below and above:
            return f"<{both}>{found}{below}{above}</{both}>"
        return f"<{under}>{found}{below}</{under}>" if below else f"<{over}>{found}{above}</{over}>"

    def atom(self) -> str:
        token = self.next()
        if token == "{":
            return f"<mrow>{self.row('}')}</mrow>"
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        fixed = ' stretchy="false"' if token in "()[]|" else ""
        return f"<mo{fixed}>{escape(self.sign(token))}</mo>"

    @staticmethod
    def sign(token: str) -> str:
        return {"-": "−", "*": "∗"}.get(token, token)

    def command(self, name: str) -> str:  # noqa: PLR0911 (one line per kind of command)
        if name in WORDS:
            return f"<mtext>{escape(self.word())}</mtext>"
        if name == "hat":
            return f'<mover accent="true">{self.atom()}<mo stretchy="false">^</mo></mover>'
        if name == "frac":
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.atom()}</msqrt>"
        if name in SIZES:
            return self.atom()
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in FUNCTIONS:
            return f"<mi>{name}</mi><mspace width='.1em'/>"
        if name in LARGE:
            return f"<mo>{LARGE[name]}</mo>"
        if name in IDENTIFIERS:
            return f"<mi>{IDENTIFIERS[name]}</mi>"
        if name in OPERATORS:
            return f"<mo>{OPERATORS[name]}</mo>"
        raise Unknown(f"\\{name}")

    def word(self) -> str:
        if self.next() != "{":
            raise Unknown("a word without braces")
        found = ""
        while (token := self.next()) != "}":
            found += token
        return found


def mathml(latex: str, *, block: bool) -> str:
    """Return an equation as MathML."""
    shown = ' display="block"' if block else ""
    return f"<math{shown}><mrow>{Parser(latex).row()}</mrow></math>"


def rendered(node: nodes.Element, *, block: bool) -> str:
    """Return an equation of a document; a warning and its text where it cannot be read."""
    text = node.astext()
    try:
        return mathml(text, block=block)
    except (Unknown, IndexError) as error:
        LOG.warning("this equation cannot be typeset (%s): %s", error, text, location=node)
        return f"<code>{escape(text)}</code>"


def visit_inline(translator: object, node: nodes.Element) -> None:
    """Write an equation within a line."""
    translator.body.append(rendered(node, block=False))  # type: ignore[attr-defined]
    raise nodes.SkipNode


def visit_block(translator: object, node: nodes.Element) -> None:
    """Write an equation of its own."""
    body = f'<div class="equation-block">{rendered(node, block=True)}</div>'
    translator.body.append(body)  # type: ignore[attr-defined]
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
