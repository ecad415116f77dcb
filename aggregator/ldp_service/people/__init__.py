"""People: who signs in through a proxy, and what they may look at.

roles  who may look at what, from a file     proxy      a name that a trusted proxy brings
flags  what may be asked for                 admission  whoever asks, by token or by name

Imports: `uploads`.
"""
