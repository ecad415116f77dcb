"""HTTP: the service on the network.

app              routes and their answers, for any ASGI server
metrics          numbers for Prometheus
upload           the route for reports
upload_protocol  the same without ASGI, for speed
protocol         HTTP's framing, strictly

Imports: everything in `service` but `commands` and `repair`.
"""
