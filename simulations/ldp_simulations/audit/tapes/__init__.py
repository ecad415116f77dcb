"""The samplers of the Python core over every tape of randomness.

every_tape  the law of a sampler over every tape of randomness, exactly
exact       the laws of a survey's samplers so, with the survey's integers or with small
            ones
"""
