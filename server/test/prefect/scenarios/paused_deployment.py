"""A paused deployment makes no runs and keeps none ahead, but runs when it is asked to; resumed, its schedules go on."""
# scenario: timeout 120 s

import time

from deploying import deployment, scheduled
from readback import eventually, get, post, same


def main() -> None:
    made = deployment(paused=True, schedules=[{"schedule": {"cron": "0 6 * * *"}}])
    path = f"/deployments/{made['id']}"
    witness = deployment(schedules=[{"schedule": {"cron": "0 6 * * *"}}])
    eventually("another deployment has its runs", lambda: len(scheduled(witness["id"])) == 3, 40)
    same(scheduled(made["id"]), [], "runs of a deployment that was made paused")

    post(f"{path}/resume_deployment")
    eventually("resumed, it has runs", lambda: len(scheduled(made["id"])) == 3, 40)
    manual = post(f"{path}/create_flow_run", {"state": {"type": "SCHEDULED"}})
    post(f"{path}/pause_deployment")
    same([run["id"] for run in scheduled(made["id"])], [manual["id"]], "only the run that was asked for stays")
    same(get(path)["paused"], True, "paused")
    asked = post(f"{path}/create_flow_run", {})
    same(asked["state"]["type"], "SCHEDULED", "a run that is asked for while paused")
    time.sleep(1)
    same(len(scheduled(made["id"])), 2, "runs of the paused deployment")


if __name__ == "__main__":
    main()
