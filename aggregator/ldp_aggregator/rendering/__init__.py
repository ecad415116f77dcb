"""Rendering: what results show, in every format; of what they are results is not known here.

sheet      what a result shows, in the shapes that formats ask for
formats    the table of formats
columns    tables as aligned text                  markdown   tables as Markdown
latex      tables as LaTeX
html_page  tables as HTML, and pages               json_text  records as JSON, in pieces
csv_text   flat records as CSV                     parquet    flat records as Parquet
bars       bars with intervals, as a picture       drawing    pictures as files
frames     flat records as data frames            heat       maps, as a picture
over_time  a course over time, as a picture       safe_cells texts that no spreadsheet runs
monitoring flat records as gauges, for what watches systems

Imports: `arrays`. What is above, such as `estimates`, prints, exports and plots itself by these.
"""
