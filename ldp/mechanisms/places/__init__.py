"""Places: points of a map.

pyramid  grids, coarser and finer                  stripes      stripes across the map
metric   a promise that fades with distance

Imports: `numbers`, `values`.
"""
