"""What a release is made of: `python -m release FOLDER` builds it; docs/releasing.md
has the steps.

build   wheels and sdists of all distributions, twice, with their checksums
sbom    what they depend on, as CycloneDX
"""
