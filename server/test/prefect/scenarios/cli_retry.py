"""`prefect flow-run retry` runs a failed run again in the same run, with its parameters."""
# scenario: timeout 240 s

import os
from pathlib import Path

from command import prefect
from readback import flow_history, flow_run, holds, post, same, unique

NAME = unique("retried")
source = Path(f"{NAME}.py".replace("-", "_"))
marker = Path(f"{NAME}.marker").absolute()
source.write_text(f"""
import os
from prefect import flow

@flow(name="{NAME}")
def retried(number: int) -> int:
    if not os.path.exists("{marker}"):
        raise ValueError("not yet")
    return number

if __name__ == "__main__":
    retried(number=7)
""")

import subprocess
import sys

subprocess.run([sys.executable, str(source)], capture_output=True, timeout=60, check=False)
[run] = post("/flow_runs/filter", {"flows": {"name": {"any_": [NAME]}}})
same((run["state_type"], run["run_count"]), ("FAILED", 1), "the first attempt")

marker.touch()
prefect("flow-run", "retry", run["id"], "--entrypoint", f"{source}:retried")
again = flow_run(run["id"])
same((again["state_type"], again["run_count"], again["parameters"]), ("COMPLETED", 2, {"number": 7}), "the second")
same(flow_history(run["id"])[-1], "Completed", "its last state")
holds("AwaitingRetry" in flow_history(run["id"]) or "Scheduled" in flow_history(run["id"]), "it was scheduled again")
os.remove(source)
