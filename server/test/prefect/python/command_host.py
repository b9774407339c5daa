"""Runs one `prefect` command for each line it reads, in a child forked from this process, which has imported the SDK.

A line is `{"arguments": [...], "folder": ..., "stdout": <file>, "stderr": <file>}`; the answer is a line with the exit code.
"""

import json
import os
import signal
import sys

import prefect.cli
import prefect.client.orchestration  # noqa: F401  what nearly every command imports
import prefect.flows  # noqa: F401

# Longest time of a command, in seconds.
PATIENCE_SECONDS = 100


def become(asked: dict) -> None:
    """What `prefect <arguments>` in that folder would find."""
    signal.alarm(PATIENCE_SECONDS)
    os.chdir(asked["folder"])
    sys.path[0] = asked["folder"]
    sys.argv = ["prefect", *asked["arguments"]]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in ((1, asked["stdout"]), (2, asked["stderr"])):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(json.loads(line))
            sys.exit(prefect.cli.app())
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


main()
