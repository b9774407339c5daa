"""Runs a flow and reads its runs, logs and events back with the client of Prefect."""

import asyncio

from prefect import flow, get_client, task
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId, LogFilter, LogFilterFlowRunId
from prefect.events.clients import get_events_subscriber
from prefect.events.filters import EventFilter, EventNameFilter


@task
def double(number: int) -> int:
    return 2 * number


@flow(log_prints=True)
def through_a_proxy() -> int:
    print("inside the flow")
    return sum(double.map([1, 2, 3]).result())


async def completed(run, events) -> None:
    async for event in events:
        if str(run) in event.resource.id:
            return


async def recorded(run) -> None:
    own_logs = LogFilter(flow_run_id=LogFilterFlowRunId(any_=[run]))
    own_runs = FlowRunFilter(id=FlowRunFilterId(any_=[run]))
    async with get_client() as client:
        while True:
            logs = [log.message for log in await client.read_logs(own_logs)]
            tasks = await client.read_task_runs(flow_run_filter=own_runs)
            if "inside the flow" in logs and len(tasks) == 3 and all(task.state.is_completed() for task in tasks):
                return
            await asyncio.sleep(0.2)


async def main() -> None:
    wanted = EventFilter(event=EventNameFilter(name=["prefect.flow-run.Completed"]))
    async with get_events_subscriber(filter=wanted) as events:
        state = await asyncio.to_thread(through_a_proxy, return_state=True)
        assert state.is_completed(), state
        run = state.state_details.flow_run_id
        await asyncio.wait_for(completed(run, events), 20)
    await asyncio.wait_for(recorded(run), 20)
    print("done")


asyncio.run(main())
