"""How often comparisons and trends are right, measured.

Run with `python -m lab.changes`.

cells     what is simulated, and what is claimed of it
pairs     two tallies and what differs between them
contrasts sums, differences and ratios of shares within one tally
panels    the same devices in both, with permanent responses
courses   series over epochs: bands, false alarms, delays
parts     what is measured of all of these, and what is claimed
page      the measurements as Markdown
"""
