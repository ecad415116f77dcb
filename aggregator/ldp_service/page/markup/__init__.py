"""What pages are made of.

tags      text to HTML and SVG, escaped
elements  numbers, tables, things in words
words     what the words of the page mean, in plain language
"""
