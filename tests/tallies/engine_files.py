"""Report files whose batches meet in every way across files, and what one process makes of them."""

from bad_bytes import BAD_FILES, BAD_PAYLOADS
from wire_samples import BATCHES, batch_of, file_of, taken

from ldp.wire import encode_frame
from ldp_aggregator import encode_tally

_A, _B, _C, _D = (batch_of(name, 7, "engine") for name in ("symbol", "bits", "filter", "hash"))
_TWIN = batch_of("wide", 2, "twin")._replace(id=_C.id)
_BAD = b"".join(encode_frame(payload) for _, payload in BAD_PAYLOADS.values())
_DAMAGED = b"".join(
    file_of(batch) + damage
    for batch, damage in zip(BATCHES.values(), BAD_FILES.values(), strict=False)
)

FILES = {
    "00-bad": _BAD + file_of(_A),
    "01-sound-under-ids-of-bad-ones": file_of(*BATCHES.values()),
    "02-empty": b"",
    "03-again": file_of(_A, _B, _B, _TWIN),
    "04-twin-comes-second": file_of(_C, _D, _C),
    "05-damaged": _DAMAGED + file_of(_D)[:-3],
    "06-foreign": b"no report at all" * 100,
    "07-tally": encode_tally(taken(file_of(_A, _D))),
    "08-all-known": file_of(_A, _B, _C, _D),
    "09-new": file_of(*(batch_of("symbol", 1, number) for number in range(40))),
}
"""By name, in the order in which they are counted."""

_TALLY = FILES["07-tally"]
WHOLE = encode_tally(
    taken(*(content for content in FILES.values() if content != _TALLY)).merge(
        taken(file_of(_A, _D))
    )
)
"""The snapshot of all of them."""


def written(folder):
    """The paths of the files, written to a folder."""
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in FILES]
