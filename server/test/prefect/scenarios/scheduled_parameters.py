"""Each schedule of a deployment makes runs with its own parameters, and an edit of any makes them again."""
# scenario: both databases, timeout 150 s

from deploying import deployment, scheduled
from readback import eventually, get, patch, request, same


def main() -> None:
    made = deployment(
        parameters={"a": 1, "b": 1.0},
        tags=["t"],
        schedules=[
            {"schedule": {"cron": "0 6 * * *"}, "slug": "six", "parameters": {"b": 6.0}},
            {"schedule": {"cron": "0 7 * * *"}, "slug": "seven", "parameters": {"c": [7]}},
            {"schedule": {"cron": "0 8 * * *"}, "slug": "never", "active": False},
        ],
    )
    path = f"/deployments/{made['id']}"

    def by_slug() -> dict[str, list[dict]]:
        found: dict[str, list[dict]] = {}
        for run in scheduled(made["id"]):
            found.setdefault(run["created_by"]["display_value"], []).append(run)
        return found

    runs = eventually("both schedules have runs", lambda: len(found := by_slug()) == 2 and found, 40)
    same({slug: len(of) for slug, of in runs.items()}, {"six": 3, "seven": 3}, "runs ahead")
    same(runs["six"][0]["parameters"], {"a": 1, "b": 6.0}, "parameters of the first schedule")
    same(runs["seven"][0]["parameters"], {"a": 1, "b": 1.0, "c": [7]}, "parameters of the second")
    same(sorted(runs["six"][0]["tags"]), ["auto-scheduled", "t"], "tags")
    keys = [run["idempotency_key"] for run in scheduled(made["id"])]
    same(len(set(keys)), 6, "keys")
    schedule = next(one for one in get(path)["schedules"] if one["slug"] == "six")
    holds_key = f"scheduled {made['id']} {schedule['id']} {runs['six'][0]['expected_start_time'][:10]} 06:00:00+00:00"
    same(runs["six"][0]["idempotency_key"], holds_key, "key of a run")

    patch(f"{path}/schedules/{schedule['id']}", {"parameters": {"b": 60.0}})
    edited = lambda: (found := by_slug()).get("six") and len(found) == 2 and found  # noqa: E731
    # The reference refills after this edit in up to a minute.
    runs = eventually("its runs are made again", edited, 75)
    same({run["parameters"]["b"] for run in runs["six"]}, {60.0}, "parameters after the edit")

    patch(path, {"parameters": {"a": 2}})
    runs = eventually("all runs are made again", lambda: len(found := by_slug()) == 2 and found, 40)
    same(runs["seven"][0]["parameters"], {"a": 2, "c": [7]}, "parameters after an edit of the deployment")
    same(request("POST", f"{path}/schedules", [{"schedule": {"interval": 60}, "slug": "six"}]).status, 409, "a slug twice")


if __name__ == "__main__":
    main()
