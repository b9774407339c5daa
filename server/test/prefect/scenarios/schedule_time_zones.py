"""Schedules follow the clocks of their time zone through changes of the time, whatever their kind."""

# scenario: quick

from deploying import deployment, scheduled
from readback import post, same

NEW_YORK = "America/New_York"
# Clocks go back on 2026-11-01 and forward on 2027-03-14; the bounds are far enough in the future to be stable.
AUTUMN = {"start_time": "2027-11-06T04:00:00Z", "min_runs": 3, "min_time": 0, "end_time": "2027-12-31T00:00:00Z"}
SPRING = {**AUTUMN, "start_time": "2027-03-13T05:00:00Z"}

CASES = [
    ({"cron": "0 9 * * *", "timezone": NEW_YORK}, AUTUMN, ["06T13:00", "07T14:00", "08T14:00"]),
    ({"cron": "0 9 * * *", "timezone": NEW_YORK}, SPRING, ["13T14:00", "14T13:00", "15T13:00"]),
    ({"cron": "0 9 * * *"}, AUTUMN, ["06T09:00", "07T09:00", "08T09:00"]),
    (
        {"interval": 86400, "anchor_date": "2027-10-01T09:00:00-04:00", "timezone": NEW_YORK},
        AUTUMN,
        ["06T13:00", "07T14:00", "08T14:00"],
    ),
    (
        {"interval": 43200, "anchor_date": "2027-10-01T09:00:00-04:00", "timezone": NEW_YORK},
        {**AUTUMN, "start_time": "2027-11-06T20:00:00Z"},
        ["07T01:00", "07T13:00", "08T01:00"],
    ),
    (
        {"rrule": "DTSTART:20200101T090000\nRRULE:FREQ=DAILY", "timezone": NEW_YORK},
        SPRING,
        ["13T14:00", "14T13:00", "15T13:00"],
    ),
    ({"cron": "0 0 l * *", "timezone": "Asia/Kathmandu"}, SPRING, ["30T18:15", "29T18:15", "30T18:15"]),
]


def main() -> None:
    for schedule, bounds, expected in CASES:
        # Paused, so that the scheduler adds nothing.
        made = deployment(paused=True, schedules=[{"schedule": schedule}])
        post(f"/deployments/{made['id']}/schedule", bounds)
        same([run["expected_start_time"][8:16] for run in scheduled(made["id"])], expected, f"times of {schedule}")
        post(f"/deployments/{made['id']}/schedule", bounds)
        same(len(scheduled(made["id"])), len(expected), "asked twice, made once")


if __name__ == "__main__":
    main()
