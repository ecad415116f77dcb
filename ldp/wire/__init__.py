"""The wire: reports as bytes, without input or output.

wire       batches and frames: the only module that imports msgpack
decoded    reports as people read them             sealed       encrypted to a collector's key
oblivious  requests that hide who sends            binary_http  HTTP messages as bytes

Imports: `numbers`, `survey`.
"""
