"""Sets: several answers at once.

set_unary  a bit for each value                    pad_and_sample  one entry of a padded set
subsets    a few fields of a table

Imports: `numbers`, `values`.
"""
