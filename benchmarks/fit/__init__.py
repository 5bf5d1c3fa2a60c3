"""How many laws are found from a table, how exactly, how fast: nalm beside other tools.

Run by `python -m benchmarks.fit`, or `make bench-fit`, which installs the other tools first.
"""
