"""A schedule that a person paused stays paused when its file is deployed again, and an empty list of schedules removes all."""
# scenario: quick, both databases, timeout 150 s

from uuid import UUID

from command import prefect
from deploying import folder_with_flow, scheduled
from prefect import get_client
from prefect.client.schemas.actions import DeploymentUpdate
from readback import eventually, get, same, unique

NAME = unique("paused schedules")
POOL = unique("pool")
SCHEDULES = """
      - cron: "0 3 * * *"
        slug: night
      - interval: 86400
        anchor_date: "2026-01-01T00:00:00+00:00"
"""


def written(folder, schedules: str, cron: str = "0 3 * * *") -> None:
    (folder / "prefect.yaml").write_text(
        f"""
deployments:
  - name: nightly
    entrypoint: flows.py:say
    parameters: {{text: hello}}
    work_pool: {{name: {POOL}}}
    schedules: {schedules.replace("0 3 * * *", cron)}
"""
    )


def deployed(folder) -> dict:
    prefect("--no-prompt", "deploy", "--all", folder=folder)
    return get(f"/deployments/name/{NAME}/nightly")


def active(deployment: dict) -> dict:
    return {one["slug"]: one["active"] for one in deployment["schedules"]}


def main() -> None:
    prefect("work-pool", "create", POOL, "--type", "process")
    folder = folder_with_flow(NAME)
    written(folder, SCHEDULES)
    made = deployed(folder)
    same(active(made), {"night": True, None: True}, "schedules of the first deployment")
    for schedule in made["schedules"]:
        prefect("deployment", "schedule", "pause", f"{NAME}/nightly", schedule["id"])
    written(folder, SCHEDULES, "30 4 * * *")
    again = deployed(folder)
    same(active(again), {"night": False, None: False}, "after the file was deployed again")
    night = next(one for one in again["schedules"] if one["slug"] == "night")
    same(night["schedule"]["cron"], "30 4 * * *", "the new time")
    same(scheduled(made["id"]), [], "no runs ahead")

    prefect("deployment", "schedule", "resume", f"{NAME}/nightly", night["id"])
    same(active(deployed(folder)), {"night": True, None: False}, "one was resumed")
    eventually("its runs", lambda: len(scheduled(made["id"])) == 3, 40)

    # The command line of this client sends no empty list; its API client does.
    with get_client(sync_client=True) as client:
        client.update_deployment(UUID(made["id"]), DeploymentUpdate(schedules=[]))
    same(get(f"/deployments/{made['id']}")["schedules"], [], "an empty list of schedules")
    eventually("no runs ahead", lambda: scheduled(made["id"]) == [], 40)


if __name__ == "__main__":
    main()
