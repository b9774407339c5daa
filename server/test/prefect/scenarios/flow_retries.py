"""A failing flow is retried by the server's rule, in the same process, with its states and counts kept."""
# scenario: quick, both databases

from prefect import flow, task
from readback import (
    flow_history,
    flow_run,
    flow_states,
    holds,
    moment,
    run_id,
    same,
    task_runs,
)

attempts = {"flow": 0, "task": 0}


@task(persist_result=True)
def once() -> int:
    attempts["task"] += 1
    return attempts["task"]


@flow(retries=2, retry_delay_seconds=0.4)
def third_time_lucky() -> int:
    once()
    attempts["flow"] += 1
    if attempts["flow"] < 3:
        raise RuntimeError(f"attempt {attempts['flow']}")
    return attempts["flow"]


@flow(retries=1)
def hopeless() -> None:
    raise RuntimeError("hopeless")


state = third_time_lucky(return_state=True)
same(state.result(), 3, "result")
run = flow_run(run_id(state))
same(run["state_type"], "COMPLETED", "state")
same(run["run_count"], 3, "run count")
same(run["empirical_policy"]["retries"], 2, "retries in the policy")
same(
    flow_history(run["id"]),
    ["Pending", "Running", "AwaitingRetry", "Running", "AwaitingRetry", "Running", "Completed"],
    "state history",
)
waiting = [one for one in flow_states(run["id"]) if one["name"] == "AwaitingRetry"]
same([one["type"] for one in waiting], ["SCHEDULED", "SCHEDULED"], "type of AwaitingRetry")
holds("attempt 1" in waiting[0]["message"], f"message of the first failure: {waiting[0]['message']}")
for one in waiting:
    delay = (moment(one["state_details"]["scheduled_time"]) - moment(one["timestamp"])).total_seconds()
    holds(-0.2 < delay < 0.6, f"the retry is due after about 0.4 s, not {delay}")
times = [(one["name"], moment(one["timestamp"])) for one in flow_states(run["id"])]
running = sum((end - start).total_seconds() for (name, start), (_, end) in zip(times, times[1:]) if name == "Running")
holds(abs(run["total_run_time"] - running) < 0.01, f"only the {running} s in Running count: {run['total_run_time']}")
holds(moment(run["start_time"]) < moment(waiting[0]["timestamp"]), "the start is that of the first attempt")
same(moment(run["end_time"]), moment(run["state"]["timestamp"]), "the end is that of the last attempt")
same(attempts["task"], 1, "a task with a persisted result runs once over all attempts")
for row in task_runs(run["id"], 3):
    same(row["state_type"], "COMPLETED", "state of the task in each attempt")

state = hopeless(return_state=True)
run = flow_run(run_id(state))
same(run["state_type"], "FAILED", "state of a flow that never works")
same(flow_history(run["id"])[-1], "Failed", "last state")
same(run["run_count"], 2, "attempts of a flow that never works")
