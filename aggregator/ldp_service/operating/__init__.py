"""The files by which a service is run: units, settings, a proxy, what scrapes it and
backs it up.

files   as docs/operating.md shows them, and as they are shipped
init    those that belong together, with the names of a domain
"""
