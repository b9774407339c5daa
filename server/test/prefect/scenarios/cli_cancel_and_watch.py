"""`prefect flow-run cancel` ends a run that waits, and `watch` tells how one ended."""
# scenario: timeout 240 s

from datetime import datetime, timedelta, timezone

from command import prefect
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.states import Completed, Failed, Running, Scheduled
from readback import flow_history, flow_run, holds, same, unique


@flow(name=unique("waiting"))
def waiting() -> None: ...


later = datetime.now(timezone.utc) + timedelta(hours=1)
with get_client(sync_client=True) as client:
    scheduled = client.create_flow_run(waiting, state=Scheduled(scheduled_time=later))
    printed = prefect("flow-run", "cancel", str(scheduled.id))
    holds(str(scheduled.id) in printed, f"cancelling tells the run: {printed}")
    same(flow_run(scheduled.id)["state_type"], "CANCELLED", "the waiting run")
    same(flow_history(scheduled.id)[-1], "Cancelled", "its last state")
    holds("unable" in prefect("flow-run", "cancel", str(scheduled.id), fails=True), "an ended run is not cancelled")

    for state, fails in ((Completed(), False), (Failed(message="broken"), True)):
        run = client.create_flow_run(waiting, state=Running())
        client.set_flow_run_state(run.id, state)
        holds(state.name in prefect("flow-run", "watch", str(run.id), fails=fails), f"watch tells {state.name}")
