"""Markup of pages.

elements  numbers, tables, things in words
qr_codes  in a terminal, as SVG, on sheets of cards
words     what the words of the page mean, in plain language
"""
