"""The commands of the respondents' page.

page    the page, as a folder for any static host
paper   the same on paper
"""
