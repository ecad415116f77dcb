"""The same work by this project and by its peers: `python -m lab.benchmarks.peers`.

`table` says who is compared on what; `environments` installs each peer away from the
project; a worker in each environment (`workers`) measures one mechanism at a time when
it is told to; `run` alternates between them and keeps what was measured; `summary`,
`page` and `picture` show it.
"""
