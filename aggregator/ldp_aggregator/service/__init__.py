"""The aggregator as a service: reports over HTTP into a durable store, each counted exactly once,
and estimates out.

upload ─> Writer ─> Turn ─> Books ─> Store          one thread writes; an answer is given after the
                                                    commit
analyst <─ Reading <─ Snapshot of the Store          readers never wait for it
"""
