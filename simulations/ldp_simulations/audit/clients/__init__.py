"""A client as it is asked, and what it says.

client  a client as a command: answers on its standard input, frames on its standard
        output
frames  bytes that left as reports and ids
"""
