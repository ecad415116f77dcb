"""Attacks: reports that were made up, and how far they move estimates.

attack  simulated poisoning, and its gain     report  results as text

Imports: `sampling`, `reports`.
"""
