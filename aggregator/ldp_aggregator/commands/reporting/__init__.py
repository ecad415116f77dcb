"""Reports: estimates as a page for people who were not there, pictures and words first.

sentences  what estimates say, in words
page       the page
"""
