"""Answers: what an answer to a question may be, and its place among all of them.

domain         the answers of a question            scales     numbers in steps, and their units
integers       whole numbers of a range             cells      places on a map
real_numbers   numbers on a scale                   vectors    vectors of numbers
fields         answers of several parts
sets           several values at once               key_values keys that come with numbers
contributions  several records of one device        balls      vectors of a bounded length
taxonomies     values with parents                  texts      texts of an open vocabulary
keys           what reads the keys of a survey file, and refuses unknown ones

Imports: `numbers`.
"""
