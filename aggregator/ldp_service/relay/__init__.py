"""The relay: a second service, run by another party, which mixes sealed reports and
forgets.

device ─> Upload ─> RelayWriter ─> Pool (SQLite) ─> Forwarder ─> the collector's `POST
/v1/mixed`

pool        what waits, in no order, and what is to be forwarded
seen_ids    what came, so that nothing is mixed twice
batching    which reports wait for one another, and their permutation
writer      the one thread that writes
forwarding  the thread that hands batches on, until each is taken
app         the relay over HTTP    gateway    reports through a hop of Oblivious HTTP
running     the relay as a process       command  `ldp relay`

What it promises: ciphertext only, no address, no time finer than the epoch, nothing
below its least n, each report in one batch; docs/relay.md has what that does not cover.

Imports: `commands`, `counting`, `http`, `logs`, `store`, `uploads`.
"""
