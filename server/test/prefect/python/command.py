"""Runs the `prefect` command as a user does, in a process of its own."""

import json
import os
import subprocess
import sys
from typing import Any


def prefect(*arguments: str, fails: bool = False, **environment: str) -> str:
    """What the command prints, errors included. It must succeed, or fail where that is expected."""
    done = subprocess.run(
        [sys.executable, "-m", "prefect", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        # Wide enough that no table cuts a name.
        env={**os.environ, "COLUMNS": "500", "NO_COLOR": "1", **environment},
    )
    printed = done.stdout + done.stderr
    if (done.returncode != 0) != fails:
        raise AssertionError(f"prefect {' '.join(arguments)} ended with {done.returncode}:\n{printed}")
    return printed


def prefect_json(*arguments: str) -> Any:
    """The decoded answer of a command with `--output json`. Warnings in front of it are passed over."""
    printed = prefect(*arguments, "--output", "json")
    starts = [index for index in (printed.find("{"), printed.find("[")) if index >= 0]
    if not starts:
        raise AssertionError(f"prefect {' '.join(arguments)} printed no JSON:\n{printed}")
    return json.JSONDecoder().raw_decode(printed[min(starts) :])[0]
