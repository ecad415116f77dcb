"""Report files whose batches meet in every way across files, and what one process makes
of them.
"""

from bad_bytes import BAD_FILES, BAD_PAYLOADS
from wire_samples import BATCHES, GROUPED, GROUPS, batch_of, file_of, grouped_of, taken

from ldp.wire.wire import encode_frame
from ldp_aggregator import encode_tally

_A, _B, _C, _D = (
    batch_of(name, 7, "engine") for name in ("symbol", "bits", "filter", "hash")
)
_TWIN = batch_of("wide", 2, "twin")._replace(id=_C.id)
_ELSEWHERE = file_of(*(batch_of(name, 7, "elsewhere") for name in ("symbol", "hash")))
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
    "07-tally": encode_tally(taken(_ELSEWHERE)),
    "08-all-known": file_of(_A, _B, _C, _D),
    "09-new": file_of(*(batch_of("symbol", 1, number) for number in range(40))),
}
"""By name, in the order in which they are counted."""

_TALLY = FILES["07-tally"]
WHOLE = encode_tally(
    taken(*(content for content in FILES.values() if content != _TALLY)).merge(
        taken(_ELSEWHERE)
    )
)
"""The snapshot of all of them."""

OVERLAPPING = encode_tally(taken(file_of(_A, _D)))
"""A tally of batches that other files have as well."""

GROUPED_FILES = {
    "10-all": file_of(*GROUPS),
    "11-some-again": file_of(
        *GROUPS[:2], *(grouped_of(2, 1, number) for number in range(9))
    ),
    "12-more": file_of(*(grouped_of(number % 3, 2, number) for number in range(9))),
}
"""The same of reports that carry an attribute."""
GROUPED_WHOLE = encode_tally(taken(*GROUPED_FILES.values(), survey=GROUPED))


def written(folder, files=FILES):
    """The paths of files, written to a folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in files]
