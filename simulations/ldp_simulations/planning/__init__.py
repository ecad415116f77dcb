"""Planning: how good estimates will be, before anyone is asked.

planned                the plans of a survey, or of every mechanism
asking                 what is wanted of a plan
planning               errors and power of one mechanism
plans                  designs compared
search_plan            what a search will find
stopwatch              seconds and bytes on a device
report, error_picture  the answer, as text and as a picture

Imports: `sampling` and the modules beside the folders.
"""
