"""Constants of physics that a number may stand for."""

from fractions import Fraction
from math import isfinite

from nalm.fitting.tree import Number
from nalm.fitting.tree.closed import Closed

FEWEST = 3
"""The fewest digits of an exact number that agrees with a constant."""
UNSURE, NEAR = 5e-3, 2.0
"""The largest relative error of a measured number, and how many errors it may be off."""
ROUNDED = 1e-9
"""How exactly the constants are known here."""
CODATA = (
    "speed of light in vacuum",
    "Newtonian constant of gravitation",
    "Planck constant",
    "reduced Planck constant",
    "elementary charge",
    "Boltzmann constant",
    "Avogadro constant",
    "molar gas constant",
    "Faraday constant",
    "Stefan-Boltzmann constant",
    "Wien wavelength displacement law constant",
    "vacuum electric permittivity",
    "vacuum mag. permeability",
    "electron mass",
    "proton mass",
    "atomic mass constant",
    "Bohr radius",
    "Rydberg constant",
    "fine-structure constant",
    "standard acceleration of gravity",
    "standard atmosphere",
    "Bohr magneton",
)
NAMES = {
    "standard acceleration of gravity": "standard gravity",
    "vacuum mag. permeability": "vacuum magnetic permeability",
    "speed of light in vacuum": "speed of light",
}
OTHERS = (
    ("0 °C in kelvin", 273.15),
    ("Coulomb constant", 8.9875517923e9),
    ("astronomical unit in metres", 149597870700.0),
    ("parsec in metres", 3.0856775814913673e16),
)


def physical_constant(value: Number, error: float) -> str | None:
    """Return the name of a constant that agrees with all known digits of a number, if one does.

    >>> from fractions import Fraction
    >>> physical_constant(Fraction(8314, 1000), 0.0), physical_constant(9.9, 0.01)
    ('molar gas constant, 8.314462618', None)
    >>> physical_constant(0.12027, 1e-5)
    '1/molar gas constant, 1/8.314462618'
    """
    from scipy.constants import physical_constants

    size = abs(float(value))
    if not isfinite(size) or value == 0 or isinstance(value, Closed):
        return None
    known = [(NAMES.get(name, name), physical_constants[name][0]) for name in CODATA]
    for name, constant in (*known, *OTHERS):
        if _agrees(value, size, error, constant):
            return f"{name}, {constant:.10g}"
        if _agrees(value, size, error, 1 / constant):
            return f"1/{name}, 1/{constant:.10g}"
    return None


def _agrees(value: Number, size: float, error: float, constant: float) -> bool:
    if isinstance(value, Fraction):
        digits = _digits(value)
        return digits >= FEWEST and f"{constant:.{digits - 1}e}" == f"{size:.{digits - 1}e}"
    return error <= UNSURE * size and abs(constant - size) <= max(NEAR * error, ROUNDED * constant)


def _digits(value: Fraction) -> int:
    """Return how many digits a decimal has, without zeros at the end."""
    return len(f"{float(value):.15g}".split("e")[0].replace(".", "").replace("-", "").strip("0"))
