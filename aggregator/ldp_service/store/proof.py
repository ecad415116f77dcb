"""Checking a store whose ids are so many that a start cannot wait for them.

All that a store holds is compared with what was written apart from it before anything
is believed (`verification`). Records are few, and checked before the store is opened,
always. Ids may be ten million: then reading them all takes longer than whoever restarts
a service has, and it is done beside the writer, of the store as it was when it was
opened. What is wrong stops the service, as it would have at the start; uploads that
were taken meanwhile are as safe as those that come before a disk begins to fail.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from ldp_service.store.errors import StoreError, StoreLostError
from ldp_service.store.store import Store
from ldp_service.store.verification import check

_log = logging.getLogger("ldp.service")


def prove(store: Store, tell: Callable[[StoreError], None]) -> None:
    """Check all of a store that is open, on a connection of its own; `tell` is told
    what is wrong.

    Done by a thread that no one waits for.
    """
    try:
        with store.snapshot() as snapshot:
            check(snapshot, None)
    except StoreLostError:
        # The writer meets the same, and checks what it opens anew.
        _log.warning("the ids of the store could not be checked: the connection broke")
    except StoreError as error:
        tell(error)
    else:
        _log.info("the ids of the store are as they should be")
