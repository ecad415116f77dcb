"""Formats: what results show, as text or bytes.

formats    the table of formats                    json_text    records as JSON, in pieces
markdown   tables as Markdown                      csv_text     flat records as CSV
latex      tables as LaTeX                         parquet      flat records as Parquet
html_page  tables as HTML, and pages

Imports: `pictures`.
"""
