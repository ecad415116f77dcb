"""Uploads: who may send what, and what becomes of it; without HTTP.

tokens  who may do what; given_tokens  those of the environment; token_use  when they
were used
invitations  one-time tokens of respondents      public  pages that are open to anyone
page_visits
        how many were shown these and began, by day
followed_file  a file that is read anew when it changes
room    what bodies take of the memory
heads   what the head of an upload says
desk    one upload after another: read, decode, submit, answer; mixed, of batches of a
        relay
debugging  uploads of developers, which are shown and not counted

Imports: `counting`, `store`.
"""
