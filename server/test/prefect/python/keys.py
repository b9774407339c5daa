"""Keys of a server that asks for one: how a scenario gets one, runs a flow and reads back with it. Signalbox only."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

from readback import URL, operate, same

FLOW = """
from prefect import flow, task

@task
def double(number):
    return 2 * number

@flow
def flow_with_key():
    return sum(future.result() for future in double.map([1, 2, 3]))

assert flow_with_key() == 12
"""


def run_flow(**settings: str) -> None:
    """Runs a flow of three tasks in a process of its own, which a client's settings reach as in a shell."""
    environment = {**os.environ, "PREFECT_API_URL": URL, **settings}
    done = subprocess.run([sys.executable, "-c", FLOW], env=environment, capture_output=True, text=True, timeout=90)
    same(done.returncode, 0, f"the flow runs: {done.stdout}{done.stderr}")


def key_of_admin() -> str:
    """A key of the default organization's first administrator, who is made for it."""
    operate("users", "create", "--email", "ada@example.com", "--organization", "default", "--role", "admin")
    return operate("keys", "create", "--user", "ada@example.com", "--descriptor", "laptop")


def call(key: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """Status and decoded answer of a request with this key, below `/api`."""
    request = urllib.request.Request(
        URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {key}", "content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, None


def recorded_events(key: str, base: str = "") -> set[str]:
    """The kinds of runs of which the server recorded that they ended well."""
    wanted = ["prefect.flow-run.Completed", "prefect.task-run.Completed"]
    _, page = call(key, "POST", f"{base}/events/filter", {"filter": {"event": {"name": wanted}}})
    return {event["event"].split(".")[1] for event in page["events"]}
