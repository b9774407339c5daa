"""A deployment runs no more than its limit at once: what is too much waits for its turn, or is cancelled."""
# scenario: both databases, timeout 150 s

import os
import signal
import subprocess
import sys
import time

from prefect import flow, serve
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.deployments import run_deployment
from readback import eventually, flow_history, flow_run, flow_states, get, request, same, unique

NAME = os.environ.setdefault("LIMITED_FLOW_NAME", unique("limited"))


@flow(name=NAME)
def limited(seconds: float = 0.0) -> None:
    time.sleep(seconds)


def serve_both() -> None:
    def deployment(name: str, strategy: ConcurrencyLimitStrategy):
        limit = ConcurrencyLimitConfig(limit=1, collision_strategy=strategy)
        return limited.to_deployment(name=name, concurrency_limit=limit)

    serve(
        deployment("waits", ConcurrencyLimitStrategy.ENQUEUE),
        deployment("cancels", ConcurrencyLimitStrategy.CANCEL_NEW),
    )


def state_of(run) -> str:
    return flow_run(run.id)["state_name"]


def active(deployment: str) -> int:
    return get(f"/deployments/name/{NAME}/{deployment}")["global_concurrency_limit"]["active_slots"]


def main() -> None:
    # Every second instead of every ten: only how soon the runner looks is changed.
    environment = {**os.environ, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    serving = subprocess.Popen([sys.executable, __file__, "serve"], env=environment)
    for name in ("waits", "cancels"):
        path = f"/deployments/name/{NAME}/{name}"
        eventually(f"the deployment {name}", lambda: request("GET", path).status == 200, 40)

    with get_client(sync_client=True):
        first = run_deployment(f"{NAME}/waits", parameters={"seconds": 8.0}, timeout=0)
        eventually("the first run runs", lambda: state_of(first) == "Running", 40)
        same(active("waits"), 1, "slots in use")
        second = run_deployment(f"{NAME}/waits", timeout=0)
        eventually("the second run waits", lambda: state_of(second) == "AwaitingConcurrencySlot", 20)

        running = run_deployment(f"{NAME}/cancels", parameters={"seconds": 12.0}, timeout=0)
        eventually("a run of the other deployment runs", lambda: state_of(running) == "Running", 40)
        refused = run_deployment(f"{NAME}/cancels", timeout=0)
        eventually("the next one is cancelled", lambda: state_of(refused) == "Cancelled", 20)
        same(flow_states(refused.id)[-1]["message"], "Deployment concurrency limit reached.", "why")

        eventually("the first run is done", lambda: state_of(first) == "Completed", 40)
        # It asks again half a minute after it was refused.
        eventually("the second run had its turn", lambda: state_of(second) == "Completed", 70)
        same("AwaitingConcurrencySlot" in flow_history(second.id), True, "states of the second run")
        eventually("the run that was not refused is done", lambda: state_of(running) == "Completed", 40)
        eventually("all slots are given back", lambda: active("waits") == active("cancels") == 0)
    serving.send_signal(signal.SIGINT)
    serving.wait(30)


if __name__ == "__main__":
    serve_both() if len(sys.argv) > 1 else main()
