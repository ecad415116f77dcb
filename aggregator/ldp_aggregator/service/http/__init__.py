"""HTTP: the service on the network.

app      routes and their answers, for any ASGI server     upload           the route for reports
metrics  numbers for Prometheus                            upload_protocol  the same without ASGI, for speed
protocol HTTP's framing, strictly

Imports: everything in `service` but `commands` and `repair`.
"""
