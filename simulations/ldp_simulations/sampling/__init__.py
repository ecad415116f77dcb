"""Sampling: reports, or what they add up to, drawn from the law that the client follows.

sampling    tallies of whole surveys, a table of what follows     bulk  reports of many answers at once
bits, bloom, hadamard, hashes, projective, searches, sets, subsets, windows    tallies, by how reports are made

Imports: the modules beside the folders.
"""
