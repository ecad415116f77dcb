"""Stores that fail as disks do, at a statement that a test chooses."""

from ldp_client.keeping.database import Database


class FailingDatabase(Database):
    """A database whose disk fails from statement number `working` on, counted once it
    is open.
    """

    def __init__(self, path, working, *, rolls_back=True):
        super().__init__(path)
        self.spared = "ROLLBACK" if rolls_back else None
        self.transact(lambda: None)
        self.left = working
        self.failed = False

    def _run(self, statement, *values):
        if getattr(self, "left", 1) <= 0 and statement != self.spared:
            self.failed = True
            raise self._unusable("disk I/O error")
        if hasattr(self, "left"):
            self.left -= 1
        return super()._run(statement, *values)


def everything(store):
    """All records, by kind and key."""
    kinds = (
        *(
            "secret",
            "cohort",
            "permanent",
            "last",
            "charge",
            "aside",
            "limit",
            "event",
            "consent",
        ),
        *("report", "batch", "attempt", "due", "days", "loss", "daily"),
    )
    return {
        (kind, key): record for kind in kinds for key, record in records_of(store, kind)
    }


def records_of(store, kind):
    """All records of a kind, by key."""
    return store.transact(lambda: list(store.records(kind)))
