"""Logs: what a service says of itself, and who looked at what.

events     lines of the log, as text or JSON, with the request that they belong to
audit_log  who looked, who was refused, who changed tokens
"""
