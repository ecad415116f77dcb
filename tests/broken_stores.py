"""Stores that fail as disks do, at a statement that a test chooses."""

from ldp_client.database import Database


class FailingDatabase(Database):
    """A database whose disk fails at the statement number `working`, counted once it is open, and from then on."""

    def __init__(self, path, working, *, rolls_back=True):
        super().__init__(path)
        self.spared = "ROLLBACK" if rolls_back else None
        with self:
            pass
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
    kinds = ("secret", "cohort", "permanent", "charge", "event", "consent", "report", "batch", "pause")
    with store:
        return {(kind, key): record for kind in kinds for key, record in store.records(kind)}
