"""Cached tasks are recorded as Cached, and expiration, refresh and custom keys decide what is cached."""

# scenario: quick

import datetime
import time

from prefect import flow, task
from prefect.cache_policies import INPUTS, NO_CACHE, TASK_SOURCE
from readback import holds, run_id, same, task_history, task_runs, task_states, unique

calls: list[str] = []
SALT = unique("salt")


@task(cache_policy=INPUTS + TASK_SOURCE, persist_result=True, task_run_name="by inputs {number} {salt}")
def by_inputs(number: int, salt: str) -> int:
    calls.append("by inputs")
    return number * 2


@task(cache_key_fn=lambda context, parameters: f"{SALT}-{parameters['number'] % 2}", persist_result=True)
def by_key(number: int) -> int:
    calls.append("by key")
    return number


@task(cache_key_fn=lambda context, parameters: f"{SALT}-expires", persist_result=True)
def expires() -> str:
    calls.append("expires")
    return "expires"


@task(cache_policy=NO_CACHE, persist_result=True)
def never(number: int) -> int:
    calls.append("never")
    return number


@flow
def cached() -> None:
    by_inputs(1, SALT)
    by_inputs(1, SALT)
    by_inputs(2, SALT)
    by_inputs.with_options(refresh_cache=True)(1, SALT)
    same([by_key(number) for number in (1, 2, 3, 4)], [1, 2, 1, 2], "results by the key's function")
    never(1)
    never(1)


@flow
def expiring() -> None:
    expires.with_options(cache_expiration=datetime.timedelta(milliseconds=1))()
    time.sleep(0.05)
    for _ in range(2):
        expires.with_options(cache_expiration=datetime.timedelta(hours=1))()


run = run_id(cached(return_state=True))
rows = task_runs(run, 10)
same(calls.count("by inputs"), 3, "calls of the task cached by inputs")
same(calls.count("by key"), 2, "calls of the task cached by a key of its own")
same(calls.count("never"), 2, "calls of the task that is not cached")
ones = sorted(
    (row for row in rows if row["name"].startswith("by inputs 1")), key=lambda row: row["expected_start_time"]
)
same([row["state_name"] for row in ones], ["Completed", "Cached", "Completed"], "the same inputs, then refreshed")
keyed = sorted((row for row in rows if row["name"].startswith("by_key")), key=lambda row: row["expected_start_time"])
same([row["state_name"] for row in keyed], ["Completed", "Completed", "Cached", "Cached"], "states by the key")
same({row["state_type"] for row in rows}, {"COMPLETED"}, "Cached is a name of COMPLETED")

task_history(ones[0]["id"], ["Pending", "Running", "Completed"])
task_history(ones[1]["id"], ["Pending", "Running", "Cached"])
stored = [task_states(row["id"])[-1]["data"]["storage_key"] for row in ones]
same(stored, stored[:1] * 3, "all three states point at the one result")

run = run_id(expiring(return_state=True))
same(calls.count("expires"), 2, "calls: the first result has expired, the second has not")
rows = sorted(task_runs(run, 3), key=lambda row: row["expected_start_time"])
same([row["state_name"] for row in rows], ["Completed", "Completed", "Cached"], "states with an expiration")
holds(task_states(rows[1]["id"])[-1]["data"]["expiration"], "the state knows when its result expires")
