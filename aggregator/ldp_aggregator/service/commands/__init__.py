"""`ldp serve` and its fellows.

serve            the service as a process       token    who may do what
settings         its flags by environment and file; operating_flags, certificates: parts of it
backup           backup and restore             doctor   what is wrong, and its repair
export           batches that were kept whole   survey   forget one

Imports: everything in `service`, when a command runs.
"""
