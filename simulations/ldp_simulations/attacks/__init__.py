"""Data poisoning attacks: reports that were made up, and how far they move estimates.

attacking  the attacks on a survey     attack  simulated poisoning, and its gain
report     results as text

Imports: `reports`, `sampling`, `simulation`.
"""
