"""Laws with functions: the table is reduced by the symmetries of its law, then searched exactly.

`smooth_model` gives slopes of the unknown law, `symmetries` reads off them which products,
quotients and differences of columns matter, `reduced_table` puts these in the place of the columns,
and `relations` finds the law between the few columns that are left.
"""
