"""Tools: for developers of apps.

command   `ldp-client`                             recovery     the way out of a damaged file
codegen   a survey as a typed Python module        codegen_typescript  the same in TypeScript
other_ldp a package of the same name, found instead of ours

Imports: `answering`, `keeping`.
"""
