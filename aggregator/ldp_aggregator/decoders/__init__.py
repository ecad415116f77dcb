"""Decoders: from counts to moments, a module for each kind of mechanism.

blocks    Hadamard response in blocks      noise     whole numbers with noise (and noise_likelihood)
sketches  hash functions shared by all     windows   bits for some of the values
found     texts that a search found        bloom/    Bloom filters and candidates
search/   prefixes of texts, stage by stage

Imports: `moments`, `tallies`.
"""
