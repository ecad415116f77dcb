"""Changes of a new survey version for respondents, and the register of versions.

change         one change, whether it is better or worse, and the names of what may
               change
amounts        epsilons that are added up, and compared exactly
keys           every key of a survey file, and what of a survey it is about
answers        what can be answered, before and after
questions      one question before and after
pairs          how well a report tells one answer from another, for each two by
               themselves
crowd          what is said of a device beside its answers: draws, groups, attributes,
               epochs
pages          what the page file beside a survey says, before and after: words and
               translations
folders        all surveys of a folder, and those that a revision had besides
comparison     two versions, those before them, and all that changed, as a sheet
git            revisions of a repository, and the files in them
sources        where the older version comes from: a file, a folder, a git revision, a
               register
register_file  a register on disk: read, verified, added to by one writer at a time
register_page  a register as a page
published      a register that a service shows to everyone

Imports: `output`.
"""
