"""Estimates as SVG.

scale      round numbers along an axis
pictures   what all pictures are made of: titles, ticks, labels, intervals
bars       a bar with its interval for each value
histogram  numbers in their order, with mean and quantiles below
panels     small pictures over time, with levels, bands and notes
pairs      two sides with their intervals for each value, and what differs
cumulative the cumulative distribution of a number
heat       the map of a question of type place
sparkline  how many reports came in each epoch
standalone all of it as a file

Imports: `markup`, `views`.
"""
