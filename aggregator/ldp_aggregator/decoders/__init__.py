"""Decoders: from counts to moments, a module for each kind of mechanism, named after
it.

decoder        what each of them provides, and what is refused where it provides none
table          the module of a kind, and the folder that it is in
moments        the law of an estimate              intervals  how far it may be off
linear         what arcs and trees share           count_law  what sums of counts say
key_laws       what reports of keys are worth      other_results  records beside moments

values         shares of values                    numbers    means and shapes of numbers
arcs, trees    distributions, and shares of maps   stripes    shares of maps
bloom          Bloom filters and candidates        search     texts that a search found
marginals      tables of several fields            key_values keys that come with numbers
taxonomies     the levels of a tree                vectors    mean vectors

Imports: `numerics`, `output`, `tallies`.
"""
