"""Numbers: tallies of means and distributions.

arcs, dithered, noise, trees  by how reports are made
starts                        where arcs begin that hold a place

Imports: `values`.
"""
