"""Vectors: the law of codebook response, and means of vectors with their errors.

codebook      the decoder
half_normals  the greatest of some half-normal numbers
law           what a word of a codebook is worth
mean_vector   a mean of vectors, coordinate by coordinate
"""
