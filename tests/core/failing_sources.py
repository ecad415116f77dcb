"""Randomness that fails as an operating system's may, at a call that a test chooses."""


class FailingSystem:
    """A system with randomness for `calls` calls, then for `given` bytes of each, or
    none.
    """

    def __init__(self, calls, given):
        self.calls = calls
        self.given = given
        self.failed = False

    def __call__(self, size):
        """As much as is left."""
        if self.calls > 0 or (self.given is not None and self.given >= size):
            self.calls -= 1
            return bytes(size)
        self.failed = True
        if self.given is None:
            raise OSError("no entropy")
        return bytes(self.given)
