# Reads the file of `ldp analyze weight --scores`, and estimates the weighted share of
# plagiarism with R's package survey.
#
#     Rscript weigh_scores.R scores.csv
#
# Needs the package survey.

library(survey)

rows <- read.csv(commandArgs(trailingOnly = TRUE)[1])
design <- svydesign(
  ids = ~school, strata = ~region, weights = ~final_weight, data = rows, nest = TRUE
)
share <- svymean(~score_true, design)
print(share)
print(confint(share, df = degf(design)))
