"""Reports: what simulations make in the place of devices.

form  what is known of each way of reporting     forging  reports that are worth the most
rows  reports as rows of bytes                   bulk     reports of many answers at once
words uniform integers by the thousand           codebook_draws  reports of many vectors
"""
