"""A key is all that a client needs where the server asks for one, as its auth string, and task runs and events arrive."""
# Signalbox only: the reference server has no keys.
# scenario: own server, SIGNALBOX_API_AUTH=key, timeout 120 s

import os
import subprocess
import sys

from keys import call, key_of_admin, recorded_events
from readback import URL, eventually, holds, same

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

key = key_of_admin()


def run_flow(**settings: str) -> None:
    """Runs the flow in a process of its own, which a client's settings reach as in a shell."""
    environment = {**os.environ, "PREFECT_API_URL": URL, **settings}
    done = subprocess.run([sys.executable, "-c", FLOW], env=environment, capture_output=True, text=True, timeout=90)
    same(done.returncode, 0, f"the flow runs: {done.stdout}{done.stderr}")


same(call("sbx_wrong", "POST", "/flow_runs/filter", {})[0], 401, "nobody comes in without a key")

run_flow(PREFECT_API_AUTH_STRING=key)
eventually("its task runs", lambda: call(key, "POST", "/task_runs/count", {})[1] == 3)
eventually("its events", lambda: recorded_events(key) == {"flow-run", "task-run"})

run_flow(PREFECT_API_AUTH_STRING=f"any:{key}")
eventually("task runs of the second flow", lambda: call(key, "POST", "/task_runs/count", {})[1] == 6)

_, runs = call(key, "POST", "/flow_runs/filter", {})
holds([run["state_type"] for run in runs] == ["COMPLETED", "COMPLETED"], f"both ended well: {runs!r:.500}")
