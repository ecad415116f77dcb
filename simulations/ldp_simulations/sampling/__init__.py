"""Sampling: tallies drawn from the law that the client follows, forged ones, and expected ones.

table  the row of each class of randomizers
arcs, bits, bloom, codebooks, dithered, hadamard, hashes, marginals, noise, projective, searches,
sets, sketches, stripes, subsets, sums, symbols, trees, windows  rows, by how reports are made
starts  where arcs begin that hold a place, for arcs and stripes

Imports: `taxonomies`, `reports` and the modules beside the folders.
"""
