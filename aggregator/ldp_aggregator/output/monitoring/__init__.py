"""Flat records as gauges, for what watches systems: texts are labels, and each number
is a gauge.

series      the gauges of a sheet
prometheus  as text that Prometheus scrapes       otlp   as JSON of OpenTelemetry's protocol
"""
