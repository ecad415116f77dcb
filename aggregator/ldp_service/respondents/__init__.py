"""The respondents' page: who asks, what will be sent, the questions, a receipt; and who
may answer.

presentation  what a page says beside the survey: a file beside the survey file
figures       what one report can tell, and which questions a page can ask
localized_texts
              the texts of a page in one language
translations  what a page file names, and what its languages leave unsaid
words         the page's own words, by language
folder        the files of a page, which any static host can serve
routes        the same files, and counters, from a service
response      how many were shown a page, began, and were counted, by day
overview      links, codes and the response, for analysts
commands      `ldp survey page` and `ldp survey paper`
paper         a rule for coins, dice or slips that has the law of a mechanism
paper_sheet   the sheet to print                paper_counts  what came back, as reports

Who may answer and who came is with uploads (`uploads.invitations`, `uploads.public`).
The program of the page is TypeScript (`client/js/page`), and built into
`static/page.js`.

Imports: `analysis`, `page`, `store`, `uploads`.
"""
