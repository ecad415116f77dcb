"""The machines of a world: threads, clocks and disks that do what a seed says.

fibers         threads that take turns, queues, and virtual time
loop           asyncio on it
substitutes    where they stand in for those of the shipped code
disk           the collector's disk, and a store on it
files          the shipped stores on real files, and what a crash leaves of them
faults         what can go wrong, by name
device_state   a device's state file
"""
