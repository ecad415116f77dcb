"""Whether any client does what a device has to do (`docs/conformance.md`).

It is asked over its standard input; what matters is tried on the bytes that leave it.

lines          the line protocol: a process that is asked, one JSON object a line
bench          what all points are tried on: processes, state files, and what leaves
               them
collector      a collector on this machine that answers as it is told
specimens      the surveys that are asked, and answers that fit a question
points         the points, one after the other (`conform`), and what becomes of each

The points:

reading        survey, vectors, answers: what a client computes from its survey, and
               refuses
law            lengths, law, fresh: what it draws by itself
ledger         once, memo, limits, silence, ledger: what it remembers and when it stops
delivery       wire, groups, retries, traces: what leaves it, and what is left behind
posting        statuses: what it makes of answers over HTTP
lives          draws, restarts: what outlives a process
kills          kills: what is left of devices that are killed

serving        the client's end of the protocol, for adapters in Python
python_client  the Python client, as a command that can be asked

Imports: the core; its Python client alone imports ldp_client, which it runs.
"""
