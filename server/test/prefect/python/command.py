"""Runs the `prefect` command as a user does, in a process of its own."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# What the console script of the SDK does; the oldest releases have no `python -m prefect`.
COMMAND = [sys.executable, "-c", "import sys, prefect.cli; sys.argv[0] = 'prefect'; prefect.cli.app()"]

# Wide enough that no table cuts a name.
_PLAIN = {"COLUMNS": "500", "NO_COLOR": "1", "TERM": "dumb"}

# What these do is decided while the SDK is imported.
_NEEDS_FRESH_IMPORT = ("cloud", "config", "profile", "version")

_host: subprocess.Popen[str] | None = None


def prefect(*arguments: str, fails: bool = False, folder: str | Path | None = None, **environment: str) -> str:
    """What the command prints, errors included. It must succeed, or fail where that is expected.

    All commands of a scenario have the environment of the first, but for those that are given another one here.
    """
    where = str(folder or os.getcwd())
    if environment or any(word in _NEEDS_FRESH_IMPORT for word in arguments):
        code, printed = _fresh(arguments, where, environment)
    else:
        code, printed = _forked(arguments, where)
    # Below 0 it was ended by a signal: its time was over, or it crashed.
    if code < 0 or (code != 0) != fails:
        raise AssertionError(f"prefect {' '.join(arguments)} ended with {code}:\n{printed}")
    return printed


def prefect_json(*arguments: str) -> Any:
    """The decoded answer of a command with `--output json`. Warnings in front of it are passed over."""
    printed = prefect(*arguments, "--output", "json")
    starts = [index for index in (printed.find("{"), printed.find("[")) if index >= 0]
    if not starts:
        raise AssertionError(f"prefect {' '.join(arguments)} printed no JSON:\n{printed}")
    return json.JSONDecoder().raw_decode(printed[min(starts) :])[0]


def _fresh(arguments: tuple[str, ...], folder: str, environment: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        cwd=folder,
        env={**os.environ, **_PLAIN, **environment},
    )
    return done.returncode, done.stdout + done.stderr


def _forked(arguments: tuple[str, ...], folder: str) -> tuple[int, str]:
    """The same, without the second or two that importing the SDK takes each time."""
    host = _running_host()
    assert host.stdin and host.stdout
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        asked = {"arguments": arguments, "folder": folder, "stdout": out.name, "stderr": err.name}
        host.stdin.write(json.dumps(asked) + "\n")
        host.stdin.flush()
        code = int(host.stdout.readline())
        return code, Path(out.name).read_text() + Path(err.name).read_text()


def _running_host() -> subprocess.Popen[str]:
    global _host
    if _host is None:
        host = Path(__file__).with_name("command_host.py")
        _host = subprocess.Popen(
            [sys.executable, str(host)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **_PLAIN},
        )
        atexit.register(_host.kill)
    return _host
