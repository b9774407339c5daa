"""The deployment commands of the CLI list, inspect, run, watch, pause, resume and delete what they are told to."""
# scenario: timeout 300 s

import os
import re
import signal
import subprocess
import sys

from command import prefect
from deploying import scheduled
from prefect import flow
from readback import eventually, flow_run, get, holds, request, same, unique

NAME = os.environ.setdefault("SERVED_FLOW_NAME", unique("commanded"))


@flow(name=NAME, log_prints=True)
def commanded(text: str = "default") -> str:
    print(f"it says {text}")
    return text


def serve() -> None:
    commanded.serve(name="cli")


def main() -> None:
    environment = {**os.environ, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    serving = subprocess.Popen([sys.executable, __file__, "serve"], env=environment)
    path = f"/deployments/name/{NAME}/cli"
    full_name = f"{NAME}/cli"
    deployment = eventually(
        "the deployment is there", lambda: (answer := request("GET", path)).status == 200 and answer.body, 40
    )
    holds(full_name in prefect("deployment", "ls", "--by-created").replace("\n", ""), "ls shows the deployment")
    holds(deployment["id"] in prefect("deployment", "inspect", full_name), "inspect shows its id")

    output = prefect("deployment", "run", full_name, "--param", 'text="watched"', "--watch", "--tag", "by-cli")
    identity = re.search(r"UUID: ([0-9a-f-]{36})", output)
    holds(identity, f"the id of the run in: {output}")
    run = flow_run(identity.group(1))
    same((run["state_name"], run["parameters"]), ("Completed", {"text": "watched"}), "the watched run")
    holds("by-cli" in run["tags"], "its tag")
    later = prefect("deployment", "run", full_name, "--start-in", "2 hours")
    identity = re.search(r"UUID: ([0-9a-f-]{36})", later)
    holds(identity, f"the id of the run in: {later}")
    same(flow_run(identity.group(1))["state_name"], "Scheduled", "a run for later")

    serving.send_signal(signal.SIGINT)
    serving.wait(40)
    request("POST", f"/deployments/{deployment['id']}/resume_deployment")
    prefect("deployment", "schedule", "create", full_name, "--cron", "15 5 * * *", "--timezone", "Asia/Tokyo")
    [schedule] = get(path)["schedules"]
    same(schedule["schedule"]["cron"], "15 5 * * *", "the schedule that was made")
    automatic = lambda: [run for run in scheduled(deployment["id"]) if run["auto_scheduled"]]  # noqa: E731
    runs = eventually("the schedule has runs", lambda: len(found := automatic()) == 3 and found, 70)
    same({run["expected_start_time"][11:16] for run in runs}, {"20:15"}, "05:15 in Tokyo")
    holds("15 5 * * *" in prefect("deployment", "schedule", "ls", full_name), "schedule ls shows it")
    prefect("deployment", "schedule", "pause", full_name, schedule["id"])
    same([one["active"] for one in get(path)["schedules"]], [False], "paused")
    same(automatic(), [], "runs of a paused schedule")
    prefect("deployment", "schedule", "resume", full_name, schedule["id"])
    same([one["active"] for one in get(path)["schedules"]], [True], "resumed")
    # The reference refills after an edit of a schedule in up to a minute.
    eventually("its runs are back", lambda: len(automatic()) == 3, 75)
    prefect("deployment", "schedule", "delete", full_name, schedule["id"], "-y")
    same(get(path)["schedules"], [], "schedules after delete")
    same(automatic(), [], "runs of a deleted schedule")
    prefect("--no-prompt", "deployment", "delete", full_name)
    same(request("GET", path).status, 404, "the deleted deployment")
    holds("not found" in prefect("deployment", "inspect", full_name, fails=True).lower(), "inspecting what is gone")


if __name__ == "__main__":
    serve() if len(sys.argv) > 1 else main()
