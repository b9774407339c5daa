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


@task(
    cache_key_fn=lambda context, parameters: f"{SALT}-short",
    persist_result=True,
    cache_expiration=datetime.timedelta(seconds=1),
)
def short() -> str:
    calls.append("short")
    return "short"


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
    short()
    short()


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

expiring()
same(calls.count("short"), 1, "calls before the expiration")
time.sleep(1.05)
run = run_id(expiring(return_state=True))
same(calls.count("short"), 2, "calls after the expiration")
expired = sorted(task_runs(run, 2), key=lambda row: row["expected_start_time"])
same([row["state_name"] for row in expired], ["Completed", "Cached"], "states after the expiration")
holds(task_states(expired[0]["id"])[-1]["data"]["expiration"], "the state knows when its result expires")
