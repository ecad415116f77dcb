"""Numbers: decoders of means and shapes.

mean      a bit, for a mean alone                  noise    whole numbers with noise
dithered  a level and its dither, for a mean and a variance
window    a place about a number, for a mean, a variance and a shape
noise_likelihood  what noise errs by

Imports: `moments`.
"""
