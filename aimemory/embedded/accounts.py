"""The system account that runs the server when we are root."""

from __future__ import annotations

import logging
import shlex
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from aimemory.errors import EmbeddedUnavailable

if sys.platform != "win32":
    import pwd

logger = logging.getLogger(__name__)

ACCOUNT = "aimemory-postgres"


def service_account() -> pwd.struct_passwd:
    """Return the account that the server runs as when we are root; make it if need be."""
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    failure = "it did not appear"
    # useradd fails while another process changes the accounts, perhaps to make the same one.
    for _ in range(20):
        with suppress(KeyError):
            return pwd.getpwnam(ACCOUNT)
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            failure = str(error)
            break
        if done.returncode != 0:
            failure = done.stderr.strip()
            time.sleep(0.1)
    raise EmbeddedUnavailable(
        f"PostgreSQL refuses to run as root, and the account {ACCOUNT} cannot be made ({failure}). "
        f"Make it with `{shlex.join(command)}`, or run as a normal user."
    )


def let_pass(account: tuple[int, int], *paths: Path) -> None:
    """Let the server's account through the directories above some paths, and no more."""
    for directory in sorted({parent for path in paths for parent in path.parents}):
        state = directory.stat()
        if state.st_uid == account[0]:
            needed = stat.S_IXUSR
        else:
            needed = stat.S_IXGRP if state.st_gid == account[1] else stat.S_IXOTH
        if not state.st_mode & needed:
            logger.warning("PostgreSQL does not run as root: chmod o+x %s, to let it in", directory)
            directory.chmod(stat.S_IMODE(state.st_mode) | needed)
