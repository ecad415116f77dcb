"""Compatibility with google/rappor: its files, its three clients, and its table of
results.

files     what it wrote, read strictly        rows      cells that can say where they stand
maps      `map.csv` in bulk                   bulk_md5  MD5 of thousands of texts at once
dialects  how its clients differ              cohorts   how two of them draw their cohorts
decoding  from its files to our estimates     booleans  one bit, which is the answer
results   its consumers' format               privacy   what was promised, and what was delivered
survey    a survey file for new collections

associations  reports to several variables
ngrams        texts that are in no list, from reports of their parts
"""
