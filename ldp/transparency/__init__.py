"""The register of a survey's versions: an append-only log, and proofs of what is in it.

tree      Merkle trees, inclusion and consistency proofs (RFC 9162)
entries   one version of a survey as one line of text, and the chain of such lines
proofs    heads and proofs as they are handed out, and the check that a client makes
stops     signed lists of questions that are no longer asked
ed25519   the signatures of such lists

Standard library only, no input or output, no clock.

Imports: `survey`.
"""
