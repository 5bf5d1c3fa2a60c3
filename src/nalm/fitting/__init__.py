"""From a table of numbers to the exact formula.

A formula is a tree of sums and products (`tree`). The search (`search`) goes from closed forms
(`closed`) over sums of monomials (`library`), quotients of polynomials (`rational`) and products
of sums (`products`) to layers of units trained from many starts (`layered`, `least_squares`).
Every find is fitted and made exact (`refine`, `rounding`), and rows that the search never saw
confirm it or not (`table`, `verify`).
"""

from nalm.fitting.fit import fit as fit
from nalm.fitting.law import Alternative as Alternative
from nalm.fitting.law import Law as Law
