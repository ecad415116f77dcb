"""Mixing: what a collector does with reports that came through a relay
(`ldp.wire.sealed`).

keys     the collector's key pair: made, kept, read
opening  envelopes to reports
batches  what is kept of each batch, and what it was worth, in words

Imports: `intake`. HPKE is that of `cryptography` (the extra `relay`), which is loaded
when a key is first used.
"""
