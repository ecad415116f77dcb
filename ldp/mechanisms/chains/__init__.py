"""Chains: a device keeps a permanent response, and each report is drawn from it.

Beside the modules that the table of mechanisms names:

bloom         Bloom filters, for RAPPOR
identifiers   how well the reports of one device can be told from others

Imports: `values`.
"""
