"""Planning: how good estimates will be, before anyone is asked.

planned      the plans of a survey, or of every mechanism
planning     errors and power of one mechanism     plans          designs compared     asking  what is wanted of a plan
stopwatch    seconds and bytes on a device
search_plan  what a search will find               report, error_picture    the answer, as text and as a picture

Imports: `sampling` and the modules beside the folders.
"""
