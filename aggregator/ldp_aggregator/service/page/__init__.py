"""The page: what a service has counted and what follows from it, for people with a browser.

views      what is shown, as records: read from an `Analysis`
charts     estimates as SVG                       markup    text to HTML and SVG, escaped
elements   parts that recur, such as tables       questions the part of the page for a question
sections   records as parts of the page           document  the whole page
routes     what is asked, by whom                 access    tokens that browsers keep
"""
