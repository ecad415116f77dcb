"""The regression grid of google/rappor, run the same way: known populations, its parameters, its
metrics.
"""
