"""Answers: what an answer to a question may be, and its place among all of them.

domain         categories, texts, and what all types share
booleans       true or false                        integers   whole numbers of a range
real_numbers   numbers on a scale                   scales     numbers in steps, and their units
sets           several values at once               key_values keys that come with numbers
fields         answers of several parts             cells      places on a map
vectors        vectors of numbers                   balls      vectors of a bounded length
taxonomies     values with parents                  texts      texts of an open vocabulary
contributions  several records of one device
keys           what reads the keys of a survey file, and refuses unknown ones

Imports: `numbers`.
"""
