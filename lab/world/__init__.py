"""The whole, simulated: devices, network, service, store, disks and clocks under one
seed.

For someone new to it: what goes wrong in the field goes wrong between parts, at moments
that no one thought of. So all parts live here in one process, on threads, clocks, disks
and a network of our own, and everything that can happen to them is drawn from a seed:
what failed once fails again, byte for byte. The service and the clients are the shipped
ones.

scenario     what is to happen, drawn from a seed
surveys      what is asked
world        lives through a scenario
device       an app with the shipped client
network      connections, and a proxy
collector    the shipped service, and an operator
oracle       what has to be true while the world lives
recount      and once it is calm
bugs         defects put in by hand
shrinking    a smaller world that fails as well
runs         many seeds
__main__     the command: `python -m lab.world`
machines     threads, clocks and disks (a folder)
"""
