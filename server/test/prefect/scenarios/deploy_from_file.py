"""`prefect deploy` makes the deployments of a prefect.yaml with their schedules, and again without losing what is theirs."""
# scenario: quick, both databases, timeout 150 s

from command import prefect
from deploying import folder_with_flow, scheduled
from readback import eventually, get, same, unique

NAME = unique("from file")
POOL = unique("pool")


def written(folder, text: str, cron: str) -> None:
    (folder / "prefect.yaml").write_text(
        f"""
deployments:
  - name: nightly
    entrypoint: flows.py:say
    version: "4"
    tags: [nightly]
    description: "every night"
    parameters: {{text: {text}}}
    work_pool: {{name: {POOL}, job_variables: {{env: {{STAGE: test}}}}}}
    schedules:
      - cron: "{cron}"
        timezone: Europe/Berlin
        slug: night
        parameters: {{times: 7}}
      - interval: 86400
        anchor_date: "2026-01-01T00:00:00+00:00"
        timezone: UTC
        slug: daily
        active: false
      - rrule: "FREQ=WEEKLY;BYDAY=MO"
        timezone: UTC
        slug: mondays
    concurrency_limit: 3
  - name: by hand
    entrypoint: flows.py:say
    work_pool: {{name: {POOL}}}
"""
    )


def main() -> None:
    prefect("work-pool", "create", POOL, "--type", "process")
    folder = folder_with_flow(NAME)
    written(folder, "first", "0 3 * * *")
    prefect("--no-prompt", "deploy", "--all", folder=folder)
    nightly = get(f"/deployments/name/{NAME}/nightly")
    same(nightly["parameters"], {"text": "first"}, "parameters")
    same(nightly["job_variables"], {"env": {"STAGE": "test"}}, "job variables")
    same((nightly["version"], nightly["tags"], nightly["description"]), ("4", ["nightly"], "every night"), "texts")
    same(nightly["global_concurrency_limit"]["limit"], 3, "limit")
    same(nightly["work_pool_name"], POOL, "pool")
    same({one["slug"]: one["active"] for one in nightly["schedules"]}, {"night": True, "daily": False, "mondays": True}, "schedules")
    same(get(f"/deployments/name/{NAME}/by hand")["schedules"], [], "schedules of the other deployment")

    def by_slug() -> dict:
        found: dict = {}
        for run in scheduled(nightly["id"]):
            found.setdefault(run["created_by"]["display_value"], []).append(run)
        return found if set(found) == {"night", "mondays"} else {}

    runs = eventually("both active schedules have runs", by_slug, 40)
    same([len(runs["night"]), len(runs["mondays"])], [3, 3], "runs ahead")
    same(runs["night"][0]["parameters"], {"text": "first", "times": 7}, "parameters of a run")

    written(folder, "second", "30 4 * * *")
    prefect("--no-prompt", "deploy", "--all", folder=folder)
    again = get(f"/deployments/name/{NAME}/nightly")
    same(again["id"], nightly["id"], "the deployment stays the same")
    same(again["created"], nightly["created"], "and as old")
    same(len(again["schedules"]), 3, "schedules")

    def renewed() -> bool:
        runs = scheduled(nightly["id"])
        return len(runs) == 6 and all(run["parameters"]["text"] == "second" for run in runs)

    eventually("runs ahead are those of the new file", renewed, 40)
    output = prefect("deployment", "inspect", f"{NAME}/nightly")
    for word in ("night", "30 4 * * *", "every night"):
        same(word in output, True, f"{word!r} in what inspect prints")


if __name__ == "__main__":
    main()
