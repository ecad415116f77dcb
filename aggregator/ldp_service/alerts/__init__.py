"""Alerts: a signed webhook tells an operator what is wrong, without Prometheus.

observing   what is so now                  conditions  what of it is an alarm, in words
volume_drop whether fewer batches come      alarms      begun once, over once, no flood
webhook     messages and how they are sent  flags       what may be asked for
watch       the thread that does all this

No message has an estimate, a count of an answer, a token or an address: batches, rates
of batches, names of surveys, questions and tokens are all there is.

Imports: `store`.
"""
