"""Readers: what each type of answer says in a survey file.

scale_keys         numbers in steps                circle_keys  numbers on a circle, such as hours
place_keys         places on a map                 field_keys   answers of several parts
contribution_keys  several records of one device   ball_keys    vectors
taxonomy_keys      values with parents
"""
