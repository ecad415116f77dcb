"""Headings in the long helps of commands that estimate, compare and follow."""

HEADINGS = {
    "Source": "--rows --answer --codes --counts --reports --design --arm --allow-equal "
    "--other-survey --direct --epoch --still-open --strata --weight --stratum "
    "--cluster --size",
    "For whom": "--question --value --top --estimand --by --where --baseline "
    "--least-group --released --names",
    "Model": "--formula --event --model --method --errors --penalty --predict "
    "--margins --of --replicates",
    "Intervals and tests": "--level --interval --simultaneous --detect --detect-level "
    "--margin --overlap --alarm-rate --season --slope --alert",
    "Views": "--post-process --frequencies --reports-per-person",
    "Numbers": "--quantiles --range --edges",
    "Trees": "--at --finest --crowd",
    "Maps": "--rectangle --zoom --cells --geography --district-name --districts-by",
    "Devices and relays": "--stop-list --mixed-by --batches --delta --colluding-share",
    "Output": "--format --output --scores --plot --otlp --quiet",
}
