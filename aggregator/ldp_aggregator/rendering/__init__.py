"""Rendering: rows, records and bars as text and pictures, whatever they are of.

columns      rows under headings, as aligned text     json_text  records as JSON, in pieces
bars         frequencies with their intervals, as a picture      drawing  pictures as files

Imports: nothing but the core. What estimates are is not known here, so that `estimates` can print,
export and plot itself.
"""
