"""Views of the page as records: read from an `Analysis`, and not yet markup.

view_request
           what someone asked to see
series     estimates by epoch
question   one question: its estimates and what lies beside them
survey     a survey: its questions, what became of batches
service    the service as a whole
overview   all surveys, a line for each
course     levels with bands over epochs
numbers    numbers in their order: cells of a histogram, quantiles
sharpness  what so many reports can show, and what they cannot
sides      two things side by side, and what differs
alarms     what someone had better look at
"""
