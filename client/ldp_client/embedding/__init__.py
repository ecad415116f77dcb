"""Embedding: the client for apps.

embedded   the client                              assembly     its parts, put together
recorder   an answer goes into the state file      backlog      what could not be written yet
adoption   reports from before there was an address
consent_actions        consent, and what follows from it
error_guard            errors that no app sees     asynchronous the client for event loops
status     what became of reports                  advice       what there is to do
daily      one report a day at most                preview      what would be sent
stop_lists             questions that a stop list ends

Imports: `answering`, `delivery`, `keeping`.
"""
