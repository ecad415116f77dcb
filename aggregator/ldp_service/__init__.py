"""The aggregator as a service: reports over HTTP into a durable store, and estimates
out.

Each report is counted exactly once.

upload ─> Writer ─> Turn ─> Books ─> Store          one thread writes; an answer is given after the
                                                    commit
analyst <─ Reading <─ Snapshot of the Store          readers never wait for it
"""
