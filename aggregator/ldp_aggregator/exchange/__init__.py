"""Counts and estimates in the forms of other systems.

view       a SQL view that decodes a table of counts
law_tables what of a question's law such a view has as numbers
counts     counts that others collected, as a tally
layouts    the layouts of files that such counts come in
otlp       estimates sent to a collector of OpenTelemetry

Imports: `analyses`, `answers`, `decoders`, `explanations`, `numerics`, `output`,
`tallies`.
"""
