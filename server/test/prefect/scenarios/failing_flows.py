"""Exceptions fail tasks and flows, `return_state` and `raise_on_failure` let a flow go on, and messages are kept."""

# scenario: quick

from prefect import allow_failure, flow, task
from readback import by_task, flow_history, flow_run, holds, run_id, same, states_of, task_runs


@task
def broken() -> None:
    raise KeyError("brokén")


@task
def fine() -> str:
    return "fine"


@task
def after(upstream: object) -> str:
    return "after"


@task
def whatever_happened(upstream: object) -> str:
    return type(upstream).__name__


@flow
def raises() -> None:
    fine()
    raise RuntimeError("on purpose")


@flow
def task_raises() -> None:
    broken()


@flow
def goes_on() -> str:
    state = broken(return_state=True)
    assert state.is_failed() and isinstance(state.result(raise_on_failure=False), KeyError)
    return fine()


@flow
def future_fails() -> str:
    future = broken.submit()
    future.wait()
    assert future.state.is_failed() and isinstance(future.result(raise_on_failure=False), KeyError)
    skipped = after.submit(future)
    skipped.wait()
    assert skipped.state.name == "NotReady"
    allowed = whatever_happened.submit(allow_failure(future))
    assert allowed.result() == "KeyError"
    return "done"


@flow
def returns_failed_future() -> list:
    return [fine.submit(), broken.submit()]


def raised(function) -> Exception:
    try:
        function()
    except Exception as exception:
        return exception
    raise AssertionError(f"{function.name} did not raise")


same(str(raised(raises)), "on purpose", "the exception reaches the caller")
state = raises(return_state=True)
run = flow_run(run_id(state))
same(run["state_type"], "FAILED", "state")
same(run["state"]["message"], "Flow run encountered an exception: RuntimeError: on purpose", "message")
same(flow_history(run["id"]), ["Pending", "Running", "Failed"], "states")
holds(run["end_time"], "a failed run has ended")
same(states_of(task_runs(run["id"], 1)), {"Completed": 1}, "tasks before the exception stay completed")

run = flow_run(run_id(task_raises(return_state=True)))
same(run["state_type"], "FAILED", "a flow whose task raises")
rows = task_runs(run["id"], 1)
same(rows[0]["state"]["message"], "Task run encountered an exception KeyError: 'brokén'", "message of the task")

run = flow_run(run_id(goes_on(return_state=True)))
same(run["state_type"], "COMPLETED", "a flow that tolerates the failure")
same(states_of(task_runs(run["id"], 2)), {"Completed": 1, "Failed": 1}, "its tasks")

run = flow_run(run_id(future_fails(return_state=True)))
same(run["state_type"], "COMPLETED", "a flow whose future failed")
rows = by_task(task_runs(run["id"], 3, unfinished=1))
same(rows["broken"]["state_name"], "Failed", "the failed task")
same((rows["after"]["state_type"], rows["after"]["state_name"]), ("PENDING", "NotReady"), "a task below a failed one")
same(rows["whatever_happened"]["state_name"], "Completed", "a task that allows the failure above it")

run = flow_run(run_id(returns_failed_future(return_state=True)))
same(run["state_type"], "FAILED", "a flow that returns a failed future")
same(run["state"]["message"], "1/2 states failed.", "message of the flow that returns a failed future")
