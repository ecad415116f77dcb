"""Pictures that the page alone has; all others are those of
`ldp_aggregator.output.pictures`.

over_time  small pictures over time, with levels, bands and notes
sparkline  how many reports came in each epoch

Imports: `views`.
"""
