"""Mutation tests: does a test fail when the code changes? `python -m
lab.endurance.mutation`.
"""
