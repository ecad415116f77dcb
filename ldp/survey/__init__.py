"""Surveys: questions, their answers and mechanisms, and the files that say so.

survey        surveys and questions                 attributes   attributes of respondents
draws         who is asked what, by lot             joint        questions answered together
survey_file   survey files, read                    survey_text  its text, with lines for errors
survey_toml   survey files, written                 declarations the same said in Python
readers       the keys of each type of answer       profiles     epsilons of published surveys
compiled      surveys for clients in other languages

Imports: `answers`, `mechanisms`, `numbers`.
"""
