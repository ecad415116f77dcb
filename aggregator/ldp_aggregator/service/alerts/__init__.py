"""Alerts: what an operator who sleeps is told, by webhook or e-mail, without Prometheus.

observing      what is so now                     conditions  what of it is an alarm, in words
usual          whether fewer batches come         alarms      begun once, over once, no flood
messages       what is said                       outbox      kept until it was taken
webhook, mail  ways to people                     receivers   those that were asked for
deadline       how long one of them may take      flags       what may be asked for
watch          the thread that does all this

No message has an estimate, a count of an answer, a token or an address: batches, rates of batches,
names of surveys, questions and tokens are all there is.

Imports: everything in `service` but `http`, `page` and `commands`.
"""
