"""States that flows and tasks return decide how a run ends, with their own names, messages and data."""

from prefect import flow, task
from prefect.states import Cancelled, Completed, Failed
from readback import by_task, flow_history, flow_run, flow_states, holds, run_id, same, task_runs


@task
def skip() -> object:
    return Completed(name="Skipped", message="nothing to do")


@task
def refuse() -> object:
    return Failed(message="refused", name="Refused")


@flow
def named() -> object:
    skip(return_state=True)
    refuse(return_state=True)
    return Completed(name="Partly done", message="two of three")


@flow
def named_failure() -> object:
    return Failed(name="No data today", message="größer als ∞")


@flow
def cancelled() -> object:
    return Cancelled(message="changed my mind")


@flow
def last_state_counts() -> object:
    return [skip(return_state=True), Completed()]


@flow(persist_result=True)
def with_data() -> object:
    return Completed(data={"rows": 3}, message="with data")


run = flow_run(run_id(named(return_state=True)))
same((run["state_type"], run["state_name"]), ("COMPLETED", "Partly done"), "state of the flow")
same(run["state"]["message"], "two of three", "message of the flow")
same(flow_history(run["id"]), ["Pending", "Running", "Partly done"], "states of the flow")
rows = by_task(task_runs(run["id"], 2))
same((rows["skip"]["state_type"], rows["skip"]["state_name"]), ("COMPLETED", "Skipped"), "state of the skipped task")
same(rows["skip"]["state"]["message"], "nothing to do", "message of the skipped task")
same((rows["refuse"]["state_type"], rows["refuse"]["state_name"]), ("FAILED", "Refused"), "state of the failed task")

run = flow_run(run_id(named_failure(return_state=True)))
same((run["state_type"], run["state_name"]), ("FAILED", "No data today"), "state of the named failure")
same(run["state"]["message"], "größer als ∞", "message of the named failure")

run = flow_run(run_id(cancelled(return_state=True)))
same((run["state_type"], run["state_name"]), ("CANCELLED", "Cancelled"), "state of the flow that cancels itself")
holds(run["end_time"], "a cancelled run has ended")

run = flow_run(run_id(last_state_counts(return_state=True)))
same((run["state_type"], run["state"]["message"]), ("COMPLETED", "All states completed."), "several states")

state = with_data(return_state=True)
same(state.result(), {"rows": 3}, "data of the returned state")
same(state.message, "with data", "message of the returned state")
last = flow_states(run_id(state))[-1]
holds(last["data"] and last["data"]["storage_key"], f"the data is persisted: {last['data']}")
