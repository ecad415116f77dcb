"""`ldp demo`: randomized response to try, on the real client, service and decoder.

crowd     the question, and 1,000 made-up people
terminal  one run in a terminal
website   one page of a service in a browser

Imports: the service.
"""
