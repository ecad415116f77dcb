"""Decoders: from counts to moments, a module for each kind of mechanism, named after it.

decoder  what each of them provides, and what is refused where it provides none
table    the module of a kind

pure     symbols or bits with (p, q)              blocks   Hadamard response in blocks
matrix   symbols from the rows of a matrix        noise    whole numbers with noise
sum      vectors of noisy numbers                 sketch   hash functions that all share
sampled  bits for some of the values              bloom    Bloom filters and candidates
search   texts that a search found                mean     a bit, for a mean alone
dithered a level and its dither, for a mean and a variance
arcs     arcs of a circle, for a distribution
window   a place about a number, for a mean, a variance and a shape
views    a cell of one of several views, the levels of a tree
signed   signed items, of keys that come with numbers
tree     a cell of one of several views, halves of halves of a line
codebook random words near vectors, for a mean vector
pyramid  a cell of one of several views, grids over a map
stripes  stripes across a map
marginals a cell of some of many fields
(noise_likelihood: what noise errs by; linear: what arcs and trees share; count_law: what sums of
counts say, for warehouses)

Imports: `arcs`, `bloom`, `key_values`, `marginals`, `search`, `stripes`, `taxonomies`, `trees`,
`vectors`, `moments`, `tallies`.
"""
