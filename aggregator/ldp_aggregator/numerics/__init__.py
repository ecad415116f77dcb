"""Numerics: arrays and what is worked out of them, without a survey.

arrays          types of arrays                    shapes       shapes of distributions
bisection       where a function passes a level    interval     two ends
empirical_bayes means that are drawn together      postprocessing  shares that add up
projective      projective spaces

Imports: numpy and scipy.
"""
