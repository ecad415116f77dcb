"""The page: what a service has counted and what follows from it, for people with a
browser.

markup    text to HTML and SVG, numbers, tables, words    views     what is shown, as records
charts    estimates as SVG                                sections  records as parts of pages
choices   the form to choose with                         document  whole pages
routes    what is asked, by whom                          access    tokens that browsers keep

Imports: `analysis`, `counting`, `store`, `uploads`.
"""
