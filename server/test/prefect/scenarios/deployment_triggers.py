"""A deployment that is served with a trigger runs when another flow fails, with what the event tells."""
# scenario: quick, both databases, timeout 150 s

import os
import signal
import subprocess
import sys

from prefect import flow
from prefect.events import DeploymentEventTrigger
from readback import eventually, flow_run, get, post, request, run_id, same, unique

NAME = os.environ.setdefault("TRIGGERED_FLOW_NAME", unique("triggered"))


@flow(name=NAME)
def repair(broken: str, fixed: bool = False) -> str:
    return broken


@flow(name=f"{NAME}-broken")
def broken() -> None:
    raise ValueError("on purpose")


@flow(name=f"{NAME}-sound")
def sound() -> None: ...


def serve(*triggers: DeploymentEventTrigger) -> None:
    repair.serve(name="by event", triggers=list(triggers))


def on_failure() -> DeploymentEventTrigger:
    return DeploymentEventTrigger(
        expect={"prefect.flow-run.Failed"},
        match_related={"prefect.resource.role": "flow", "prefect.resource.name": f"{NAME}-broken"},
        parameters={"broken": "{{ event.resource.id }}", "fixed": True},
    )


def start(what: str) -> subprocess.Popen:
    environment = {**os.environ, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    return subprocess.Popen([sys.executable, __file__, what], env=environment)


def main() -> None:
    serving = start("serve")
    path = f"/deployments/name/{NAME}/by event"
    deployment = eventually(
        "the deployment is there", lambda: (answer := request("GET", path)).status == 200 and answer.body, 40
    )
    owned = f"/automations/related-to/prefect.deployment.{deployment['id']}"
    (automation,) = eventually("its automation is there", lambda: get(owned), 20)
    same(automation["name"], "by event__automation_1", "name of the automation")
    same(automation["actions"][0]["deployment_id"], deployment["id"], "what it runs")

    sound()
    failed = run_id(broken(return_state=True))
    runs = eventually(
        "a run of the deployment",
        lambda: post("/flow_runs/filter", {"deployments": {"id": {"any_": [deployment["id"]]}}}),
        40,
    )
    same(len(runs), 1, "one run for one failure")
    same(runs[0]["parameters"], {"broken": f"prefect.flow-run.{failed}", "fixed": True}, "its parameters")
    same(
        (runs[0]["created_by"]["id"], runs[0]["created_by"]["type"]), (automation["id"], "AUTOMATION"), "who made it"
    )
    eventually("it ran", lambda: flow_run(runs[0]["id"])["state_type"] == "COMPLETED", 40)
    serving.send_signal(signal.SIGINT)
    serving.wait(30)

    # Serving again without triggers takes the automation away.
    serving = start("plain")
    eventually("the automation is gone", lambda: get(owned) == [], 40)
    serving.send_signal(signal.SIGINT)
    serving.wait(30)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        serve(on_failure()) if sys.argv[1] == "serve" else serve()
