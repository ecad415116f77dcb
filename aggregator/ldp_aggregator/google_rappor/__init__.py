"""Compatibility with google/rappor: its files, its three clients, and its table of results.

files     what it wrote, read strictly        rows      cells that can say where they stand
dialects  how its clients differ              cohorts   how two of them draw their cohorts
decoding  from its files to our estimates     privacy   what was promised, and what was delivered
results   its consumers' format               survey    a survey file for new collections
"""
