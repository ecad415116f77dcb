"""PostgreSQL for tests: the server at LDP_TEST_POSTGRES, or one of their own.

A server of our own is a child process on a Unix socket, and syncs like any other: the
store would refuse one that does not. It does not run as root, so root gives it to the
user `postgres` or `nobody`. Tests connect to it as what hosted databases give out: an
ordinary role, which owns its database and nothing else.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "LDP_TEST_POSTGRES"
_SETTINGS = (
    "listen_addresses=",
    "shared_buffers=64MB",
    "max_connections=50",
    "log_min_messages=fatal",
    "autovacuum=off",  # it comes when it likes, and its maps take room that tests measure
)
_PATIENCE = 90


class Server:
    """A server by the URL of a database that is for the tests alone."""

    def __init__(self, database):
        self.database = database

    def emptied(self):
        """The URL, after what a test left in the database is gone."""
        self.run("DROP SCHEMA IF EXISTS ldp CASCADE")
        return self.database

    def run(self, statement, *values):
        """The rows of a statement, on a connection of its own."""
        import psycopg

        with psycopg.connect(self.database, autocommit=True) as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []


class OwnServer(Server):
    """A server in a folder, which can be stopped as a power loss or an impatient
    operator would.
    """

    def __init__(self, folder):
        super().__init__(f"postgresql://ldp@/ldp?host={folder}")
        self.administrator = Server(f"postgresql://postgres@/postgres?host={folder}")
        self._folder = folder
        self._user = _user()
        if self._user is not None:
            shutil.chown(folder, self._user)
        options = [
            "-D",
            folder / "data",
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]
        subprocess.run(
            [_binary("initdb"), *options],
            check=True,
            stdout=subprocess.DEVNULL,
            user=self._user,
            cwd=folder,
        )
        self.start()
        self.administrator.run("CREATE ROLE ldp LOGIN")
        self.administrator.run("CREATE DATABASE ldp OWNER ldp")

    def start(self):
        """Begin to answer."""
        settings = [
            part
            for setting in (*_SETTINGS, f"unix_socket_directories={self._folder}")
            for part in ("-c", setting)
        ]
        command = [_binary("postgres"), "-D", self._folder / "data", *settings]
        self._process = subprocess.Popen(
            command, user=self._user, cwd=self._folder, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("expected PostgreSQL to start, and it did not")
            time.sleep(0.02)

    def stop(self):
        """End at once, as if the power had failed: the next start has to recover."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(_PATIENCE)

    def set(self, name, value):
        """Change a setting of the server."""
        self.administrator.run(f"ALTER SYSTEM SET {name} = {value}")
        self.administrator.run("SELECT pg_reload_conf()")
        while self.run(f"SHOW {name}") != [(value,)]:
            time.sleep(0.02)

    def _answers(self):
        import psycopg

        try:
            return bool(self.administrator.run("SELECT 1"))
        except psycopg.OperationalError:
            return False


@contextmanager
def running():
    """A server."""
    if url := os.environ.get(VARIABLE):
        with _new_database(url) as database:
            yield Server(database)
        return
    with tempfile.TemporaryDirectory(prefix="ldp-pg-") as folder:
        server = OwnServer(Path(folder))
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _new_database(url):
    """The URL of a database that is made on a server, and dropped at the end."""
    name = f"ldp_test_{secrets.token_hex(6)}"
    before, mark, options = url.partition("?")
    scheme, _, rest = before.partition("://")
    Server(url).run(f"CREATE DATABASE {name}")
    try:
        yield f"{scheme}://{rest.partition('/')[0]}/{name}{mark}{options}"
    finally:
        Server(url).run(f"DROP DATABASE {name} WITH (FORCE)")


def _binary(name):
    """The newest in Debian's folders, or that on the path."""
    paths = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    return max(
        paths, key=lambda path: int(path.parts[-3]), default=None
    ) or shutil.which(name)


def _user():
    """Who may run it instead of root; None for ourselves."""
    if os.geteuid():
        return None
    names = {user.pw_name for user in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)
