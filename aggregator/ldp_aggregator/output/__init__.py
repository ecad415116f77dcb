"""Output: what results show, in every format; of what they are results is not known
here.

sheet       what a result shows, in the shapes that formats ask for
columns     tables as aligned text                 frames      flat records as data frames
formats     text and bytes                         pictures    bars, maps and courses
monitoring  flat records as gauges, for what watches systems
markup      text to HTML and SVG, escaped          templates   pages by templates
people      numbers for people: percent
safe_cells  texts that no spreadsheet runs         csv_rows    cells from a text
checks      what is said beside numbers            files       files of the command line
streams     standard input and output              web_addresses  addresses of web sites

Imports: `numerics`. Results above, such as `answers`, print, export and plot themselves
by it.
"""
