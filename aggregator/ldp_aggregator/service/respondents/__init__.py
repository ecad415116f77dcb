"""The respondents' page: who asks, what will be sent, the questions, a receipt; and who may answer.

presentation  what a page says beside the survey: a file beside the survey file
figures       what one report can tell, and which questions a page can ask
words         the page's own words, by language
folder        the files of a page, which any static host can serve
routes        the same files, and counters, from a service
reach         how many were shown the page, began and sent, by day
invitations   one-time tokens: who may answer, once
cards         QR codes, and sheets of them

The program of the page is TypeScript (`client/js/page`), and built into `static/page.js`.
"""
