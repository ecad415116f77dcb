"""`ldp serve` and its fellows.

serve       the flags; `serve_options` is a record of them, which `assembly` makes a
            service of
running     the service as a process                  workers   several of them
settings    flags by environment and file; operating_flags, certificates: parts of the
            flags
tokens      who may do what                           backup    backup and restore
alerts      whether those who are told can be told
doctor      what is wrong, and its repair             survey    close one, or forget it
export      batches that were kept whole              init      files to run a service by

Imports: `alerts`, `analysis`, `counting`, `http`, `logs`, `operating`, `page`,
`people`, `repair`, `respondents`, `sources`, `store`, `upkeep`, `uploads`.
"""
