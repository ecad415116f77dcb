"""Pictures: SVG for pages, notebooks and files, made here; PNG and figures by
matplotlib.

picture    panels as pictures
rows       bars and dots                           histogram    numbers in their order
curve      cumulative distributions                course       over time
maps       cells and districts                     lines        errors of mechanisms
parts, scale              what all of them are made of

axes, heat, over_time     the same on axes of matplotlib
drawing                   figures as files
"""
