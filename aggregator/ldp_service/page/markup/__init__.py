"""What pages are made of.

elements  numbers, tables, things in words
words     what the words of the page mean, in plain language
"""
