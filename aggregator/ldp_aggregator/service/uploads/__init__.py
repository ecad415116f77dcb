"""Uploads: who may send what, and what becomes of it; without HTTP.

tokens  who may do what
desk    one upload after another: read, decode, submit, answer

Imports: `service.counting`, `service.store`.
"""
