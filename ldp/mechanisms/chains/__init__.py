"""Chains: a device keeps a permanent response, and each report is drawn from it.

longitudinal  chains of two responses              rappor       RAPPOR
bloom         its Bloom filters                    bit_flip     permanent bits of some values
identifiers   how well the reports of one device can be told from others

Imports: `values`.
"""
