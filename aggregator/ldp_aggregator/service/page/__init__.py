"""The page: what a service has counted and what follows from it, for people with a browser.

views     what is shown, as records: read from an `Analysis`
charts    estimates as SVG                        markup    text to HTML and SVG, escaped
sections  records as parts of the page            questions the section of one question
elements  numbers and tables                      downloads estimates as files
cumulative the cumulative distribution of a number, as SVG
heat      the map of a question of type place, as SVG
side_by_side  the last two epochs, and what differs between them
document  the whole page                          debug_section  uploads of developers
groups    the section of groups by public attributes
routes    what is asked, by whom                  access    tokens that browsers keep
"""
