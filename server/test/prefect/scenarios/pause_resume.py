"""Flows pause without input and are resumed by the client, fail after the timeout, and pause once per key."""

import threading

from prefect import flow, pause_flow_run, resume_flow_run, task
from readback import (
    eventually,
    flow_history,
    flow_run,
    flow_states,
    holds,
    post,
    request,
    run_id,
    same,
    task_runs,
    unique,
)


@task
def step(number: int) -> int:
    return number


@flow
def two_pauses() -> int:
    step(1)
    pause_flow_run(timeout=30, poll_interval=0.1, key="first")
    pause_flow_run(timeout=30, poll_interval=0.1, key="first")  # has fired: does not pause again
    step(2)
    pause_flow_run(timeout=30, poll_interval=0.1, key="second")
    return step(3)


@flow
def forgotten() -> None:
    pause_flow_run(timeout=1, poll_interval=0.1)


def resume_when_paused(name: str, times: int) -> None:
    for time in range(times):

        def paused() -> dict | None:
            found = post(
                "/flow_runs/filter",
                {
                    "flows": {"name": {"any_": [name]}},
                    "flow_runs": {"state": {"type": {"any_": ["PAUSED"]}}},
                },
            )
            return found[0] if found else None

        resume_flow_run(eventually(f"pause {time + 1} of {name}", paused)["id"])


named = two_pauses.with_options(name=unique("two pauses"))
operator = threading.Thread(target=resume_when_paused, args=(named.name, 2), daemon=True)
operator.start()
state = named(return_state=True)
same(state.result(), 3, "result")
run = flow_run(run_id(state))
same(
    flow_history(run["id"]),
    ["Pending", "Running", "Paused", "Running", "Paused", "Running", "Completed"],
    "states with two pauses",
)
same(sorted(run["empirical_policy"]["pause_keys"]), ["first", "second"], "keys of the pauses")
same(run["empirical_policy"]["resuming"], False, "nothing is being resumed at the end")
same(run["run_count"], 2, "the first resumption counts as a start, later ones do not, as on the reference server")
same([row["state_name"] for row in task_runs(run["id"], 3)], ["Completed"] * 3, "tasks before, between and after")
keys = [one["state_details"]["pause_key"] for one in flow_states(run["id"]) if one["name"] == "Paused"]
same(keys, ["first", "second"], "keys in the states")

try:
    forgotten()
    raise AssertionError("the flow went on without being resumed")
except Exception as problem:
    holds("paused" in str(problem).lower() or "timed out" in str(problem).lower(), f"failed by {problem!r}")
found = post("/flow_runs/filter", {"flows": {"name": {"any_": ["forgotten"]}}, "sort": "START_TIME_DESC", "limit": 1})
same(found[0]["state_type"], "FAILED", "a pause that is never resumed fails the flow")

answer = request("POST", f"/flow_runs/{run['id']}/resume", {})
same((answer.status, answer.body["status"]), (200, "ABORT"), "resuming a completed run")
same(answer.body["details"]["reason"], "Cannot resume a flow run that is not paused.", "why not")
