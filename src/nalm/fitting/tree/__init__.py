"""A formula as a tree, and its other forms: sympy, text, a network of units.

A kind of node is a class in `nodes` or `function_nodes` that fulfils the contract of `node.Tree`.
"""

from nalm.fitting.tree.function_nodes import Applied as Applied
from nalm.fitting.tree.function_nodes import VariablePower as VariablePower
from nalm.fitting.tree.node import Tree as Tree
from nalm.fitting.tree.nodes import Column as Column
from nalm.fitting.tree.nodes import PowerProduct as PowerProduct
from nalm.fitting.tree.nodes import WeightedSum as WeightedSum
from nalm.fitting.tree.nodes import columns_of as columns_of
from nalm.fitting.tree.nodes import constant as constant
from nalm.fitting.tree.nodes import power_of as power_of
from nalm.fitting.tree.nodes import with_columns as with_columns
from nalm.fitting.tree.number import HALF as HALF
from nalm.fitting.tree.number import ONE as ONE
from nalm.fitting.tree.number import ZERO as ZERO
from nalm.fitting.tree.number import Number as Number
