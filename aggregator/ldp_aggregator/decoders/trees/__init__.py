"""Trees of halves: from reports of cells, level by level, to any linear question of a
number.

tree, pyramid  the decoders
levels      what is known of each level, and what symbols are worth to cells
transforms  sums over the symbols that support cells, and over the cells that symbols
            support
contrasts   least squares on the grids of a map
halves      least squares on halves of halves, and what queries make of each level
squares     what the scores of queries err by, exactly, from all reports
zooms       what all cells of a map err by, side by side
paths       what all cumulative shares, or all single values, err by, nearly, in one
            pass

Imports: `arcs`, `moments`.
"""
