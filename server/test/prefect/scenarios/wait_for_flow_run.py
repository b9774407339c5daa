"""A process waits for a run of another process and sees its end and its result, and gives up when it is told to."""
# scenario: quick, both databases

import asyncio
import subprocess
import sys

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.exceptions import FlowRunWaitTimeout
from prefect.flow_engine import run_flow
from prefect.flow_runs import wait_for_flow_run
from readback import flow_history, same, task_runs


@task
def step() -> int:
    return 1


@flow(persist_result=True)
def awaited(number: int) -> int:
    return step() + number


if len(sys.argv) > 1:
    with get_client(sync_client=True) as client:
        run_flow(awaited, flow_run=client.read_flow_run(sys.argv[1]), parameters={"number": 41})
    sys.exit()


async def main() -> None:
    async with get_client() as client:
        run = await client.create_flow_run(awaited, parameters={"number": 41})
        try:
            await wait_for_flow_run(run.id, timeout=1, poll_interval=1)
            raise AssertionError("a run that nobody executes has ended")
        except FlowRunWaitTimeout:
            pass
        process = subprocess.Popen([sys.executable, __file__, str(run.id)])
        ended = await wait_for_flow_run(run.id, timeout=40, log_states=True)
        same((ended.state.type.value, ended.state.name), ("COMPLETED", "Completed"), "the awaited run")
        same(await ended.state.aresult(), 42, "its result")
        same(process.wait(30), 0, "exit code of the other process")
        same(flow_history(run.id), ["Pending", "Running", "Completed"], "states")
        task_runs(run.id, 1)
        again = await wait_for_flow_run(run.id, timeout=60)
        same(again.state.name, "Completed", "waiting for a run that has ended")


asyncio.run(main())
