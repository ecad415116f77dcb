"""Numbers: means, distributions and shapes.

one_bit, dithered  means                           additive     numbers plus noise
arcs, tree         distributions                   square_wave  shapes
arc_search         the design of arcs

Imports: `values`.
"""
