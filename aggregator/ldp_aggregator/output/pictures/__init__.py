"""Pictures, by matplotlib.

bars       bars with intervals                     heat         maps
over_time  a course over time                      drawing      pictures as files
"""
