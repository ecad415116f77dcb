"""The command `ldp`, and its subcommands for surveys and reports; other packages add
theirs.

main     finds subcommands by entry points        reports     explain, aggregate, estimate
check    one survey, or what changed in it         register    the register of versions
sources  tallies, rows, counts, designs
analyses what analysts ask                         rappor, stop_list, warehouse  subcommands
headings        headings of long helps
output_options  options that all estimates share
group_options   which groups by public attributes are asked for
address_types   types of flags that take addresses of web sites
batch_options   what a relay's batches are worth: delta, colluders
progress bars on a terminal               decode        what reports say, in plain words

Imports: `analyses`, `answers`, `decoders`, `exchange`, `explanations`, `numerics`,
`output`, `tallies`, `versions`. A command imports what it needs when it runs, so that
`ldp --help` stays quick.
"""
