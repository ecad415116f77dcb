"""`ldp serve` and its fellows.

serve            the service as a process       token    who may do what
settings         its flags by environment and file; operating_flags, certificates: parts of it
workers          several processes of it        doctor   what is wrong, and its repair
backup           backup and restore             survey   forget one
export           batches that were kept whole

Imports: everything in `service`, when a command runs.
"""
