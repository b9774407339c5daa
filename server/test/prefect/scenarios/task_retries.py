"""Failing tasks are retried after their delay, and every attempt is in the history."""

# scenario: quick

from prefect import flow, task
from readback import (
    flow_run,
    holds,
    moment,
    run_id,
    same,
    task_history,
    task_runs,
    task_states,
)

attempts: dict[str, int] = {}


def fail_until(name: str, attempt: int) -> str:
    attempts[name] = attempts.get(name, 0) + 1
    if attempts[name] < attempt:
        raise ValueError(f"{name}: attempt {attempts[name]}")
    return name


@task(task_run_name="twice", retries=3, retry_delay_seconds=[0.2, 0.1])
def twice() -> str:
    return fail_until("twice", 3)


@task(task_run_name="jitter", retries=1, retry_delay_seconds=0.1, retry_jitter_factor=0.5)
def jitter() -> str:
    return fail_until("jitter", 2)


@task(task_run_name="immediately", retries=1)
def immediately() -> str:
    return fail_until("immediately", 2)


@task(task_run_name="exhausted", retries=2)
def exhausted() -> str:
    return fail_until("exhausted", 99)


@task(task_run_name="not worth it", retries=5, retry_condition_fn=lambda task, run, state: False)
def not_worth_it() -> str:
    return fail_until("not worth it", 99)


@flow
def retrying() -> None:
    twice()
    jitter()
    immediately()
    exhausted(return_state=True)
    not_worth_it(return_state=True)
    return None


state = retrying(return_state=True)
same(flow_run(run_id(state))["state_name"], "Completed", "the flow's state")
rows = {row["name"]: row for row in task_runs(run_id(state), 5)}

task_history(
    rows["twice"]["id"], ["Pending", "Running", "AwaitingRetry", "Retrying", "AwaitingRetry", "Retrying", "Completed"]
)
states = task_states(rows["twice"]["id"])
same([one["type"] for one in states][2:4], ["SCHEDULED", "RUNNING"], "types of the retry states")
for waiting, retrying_state in ((states[2], states[3]), (states[4], states[5])):
    due = moment(waiting["state_details"]["scheduled_time"])
    holds(due > moment(waiting["timestamp"]), "a retry is due in the future")
    holds(moment(retrying_state["timestamp"]) >= due, "a retry does not start before it is due")
same(rows["twice"]["run_count"], 3, "run count after two retries")
same(rows["twice"]["empirical_policy"]["retries"], 3, "retries in the policy")
same(rows["twice"]["empirical_policy"]["retry_delay"], [0.2, 0.1], "delays in the policy")

task_history(rows["jitter"]["id"], ["Pending", "Running", "AwaitingRetry", "Retrying", "Completed"])
same(rows["jitter"]["empirical_policy"]["retry_jitter_factor"], 0.5, "jitter in the policy")
task_history(rows["immediately"]["id"], ["Pending", "Running", "Retrying", "Completed"])

task_history(rows["exhausted"]["id"], ["Pending", "Running", "Retrying", "Retrying", "Failed"])
same(rows["exhausted"]["run_count"], 3, "run count of a task that never works")
same(rows["exhausted"]["state_type"], "FAILED", "state of a task that never works")
holds("exhausted: attempt 3" in rows["exhausted"]["state"]["message"], "the last exception is in the message")

task_history(rows["not worth it"]["id"], ["Pending", "Running", "Failed"])
same(attempts["not worth it"], 1, "attempts when the condition refuses a retry")
