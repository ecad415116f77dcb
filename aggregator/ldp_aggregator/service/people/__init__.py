"""People: who signs in through a proxy or a provider, and what they may look at.

roles     who may look at what, from a file          proxy      a name that a trusted proxy brings
oidc      a name that a provider vouches for         id_tokens            its signed word, checked
sessions  signed cookies                             admission  whoever asks, by token or by name
flags     what may be asked for                      routes     the way to a provider and back

Imports: `service.uploads.tokens`.
"""
