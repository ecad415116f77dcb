"""Plans by the estimand of a question.

asking             what is wanted of a plan
planning           errors and power of one mechanism, of frequencies
mean_plan          how well a mean will be known
distribution_plan  how well ranges, the median and the mean will be
vector_plan        how well a mean vector will be known
level_plan         how well each level of a tree will be known
field_plan         how well the table of two of many fields will be
key_plan           how well keys and the means of their numbers will be
place_plan         which cells of a map will show, and how well rectangles will be known
search_plan        what a search will find
entries            what records and tables of all plans share
"""
