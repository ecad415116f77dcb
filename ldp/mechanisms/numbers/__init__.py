"""Numbers: means, distributions and shapes.

Beside the modules that the table of mechanisms names:

arc_search    the design of arcs

Imports: `values`.
"""
