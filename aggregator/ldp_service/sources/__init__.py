"""Sources: reports that do not come by HTTP.

follower  what sources share: read, submit, mark how far
folder    files in a folder
kafka     a topic of Kafka

Imports: `counting`, `store`.
"""
