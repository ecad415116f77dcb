# Estimates as a data frame: Rscript read_estimates.R estimates.json
#
# The file is what `ldp estimate SURVEY TALLY -o estimates.json` writes. A row for each value: question, value, count,
# frequency, standard_error, low, high. Needs the package jsonlite.

read_estimates <- function(path) {
  record <- jsonlite::fromJSON(path, simplifyVector = FALSE)
  if (record$format != 1) {
    stop("expected estimates of format 1, got format ", record$format)
  }
  number <- function(x) if (is.null(x)) NA_real_ else as.numeric(x)
  rows <- lapply(names(record$questions), function(name) {
    values <- record$questions[[name]]$values
    lapply(values, function(v) {
      data.frame(
        question = name,
        value = v$value,
        count = number(v$count),
        frequency = number(v$frequency),
        standard_error = number(v$standard_error),
        low = number(v$interval[[1]]),
        high = number(v$interval[[2]])
      )
    })
  })
  do.call(rbind, unlist(rows, recursive = FALSE))
}

if (sys.nframe() == 0L) {
  print(read_estimates(commandArgs(trailingOnly = TRUE)[[1]]))
}
