"""Whether reports arrive: devices that are used for minutes a day, and are offline for
weeks.

lives       one device: its sessions, its network, its one report
figures     many of them, what arrived, and what its absence does to an estimate
__main__    the command: `python -m lab.delivery`
"""
