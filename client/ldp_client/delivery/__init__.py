"""Delivery: reports wait in a queue until a collector has them.

outbox     the queue                               sender       the thread that sends
schedule   when                                    limits       how much may wait
transport  HTTP and folders                        transport_settings  what an app may set of them
connection with a deadline                         verdicts     what an answer of HTTP means
outcomes   what can become of a batch              loss_counters, counts  what became of reports
days       the age of what waits                   debugging    what leaves a device, in the log
sealing    reports through a relay                 oblivious    a hop that hides who sends

Imports: `answering`, `keeping`.
"""
