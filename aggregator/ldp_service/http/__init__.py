"""HTTP: the service on the network.

app              routes and their answers, for any ASGI server
metrics          numbers for Prometheus; machine_metrics, of what it stands on;
                 estimate_metrics
upload           the route for reports
upload_protocol  the same without ASGI, for speed
register         the register of surveys, for everyone
protocol         HTTP's framing, strictly
headers          what every answer says besides
audit            requests as the audit log has them
server           how it begins and ends

Imports: `analysis`, `counting`, `logs`, `page`, `people`, `respondents`, `store`,
`uploads`.
"""
