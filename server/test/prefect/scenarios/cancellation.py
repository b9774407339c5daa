"""Runs are cancelled by the client: waiting ones at once, running ones by way of Cancelling, never back to Running."""
# scenario: quick, both databases

from uuid import UUID

from prefect import flow, runtime
from prefect.client.orchestration import get_client
from prefect.states import Cancelled, Cancelling, Completed, Running, Scheduled
from readback import flow_history, post, run_id, same


@flow
def cancelled_from_outside() -> str:
    with get_client(sync_client=True) as other:
        answer = other.set_flow_run_state(UUID(runtime.flow_run.id), Cancelling(message="stop, please"))
        assert answer.status.value == "ACCEPT", answer
    return "went on"


@flow
def waiting() -> None: ...


with get_client(sync_client=True) as client:
    run = client.create_flow_run(waiting, state=Scheduled())
    answer = client.set_flow_run_state(run.id, Cancelling())
    same(
        (answer.status.value, answer.state.type.value), ("REJECT", "CANCELLED"), "a waiting run has no process to stop"
    )
    same(answer.details.reason, "Scheduled flow run has no infrastructure to terminate.", "reason")
    same(flow_history(run.id), ["Scheduled", "Cancelled"], "states of the waiting run")

    run = client.create_flow_run(waiting)
    same(client.set_flow_run_state(run.id, Running()).status.value, "ACCEPT", "running")
    same(client.set_flow_run_state(run.id, Cancelling()).status.value, "ACCEPT", "cancelling")
    answer = client.set_flow_run_state(run.id, Running())
    same((answer.status.value, answer.state.type.value), ("REJECT", "CANCELLING"), "back to running")
    reason = "Cannot transition flows that are cancelling to a state other than Cancelled."
    same(answer.details.reason, reason, "reason")
    same(client.set_flow_run_state(run.id, Completed()).status.value, "REJECT", "a cancelling run cannot complete")
    answer = client.set_flow_run_state(run.id, Cancelled(message="by hand"))
    same((answer.status.value, answer.state.type.value), ("ACCEPT", "CANCELLED"), "cancelled")
    same(flow_history(run.id), ["Pending", "Running", "Cancelling", "Cancelled"], "states of the running run")
    answer = client.set_flow_run_state(run.id, Cancelling())
    same(answer.status.value, "ABORT", "cancelling a cancelled run")
    same(answer.details.reason, "Run is already in terminal state CANCELLED.", "reason")
    same(client.set_flow_run_state(run.id, Running(), force=True).status.value, "ACCEPT", "force")

    finished = UUID(run_id(waiting(return_state=True)))
    same(client.set_flow_run_state(finished, Cancelling()).status.value, "ABORT", "cancelling a completed run")

state = cancelled_from_outside(return_state=True)
same(state.name, "Cancelling", "the state that the flow's process got for its Completed")
same(
    flow_history(run_id(state)), ["Pending", "Running", "Cancelling"], "states of a run that is cancelled from outside"
)
answer = post(f"/flow_runs/{run_id(state)}/set_state", {"state": {"type": "CANCELLED"}})
same((answer["status"], answer["state"]["name"]), ("ACCEPT", "Cancelled"), "the end of the cancellation")
