"""Persisted results are found again from the states that the server keeps, in another process too."""

import os
import subprocess
import sys
from pathlib import Path

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.filesystems import LocalFileSystem
from readback import by_task, flow_states, holds, run_id, same, task_runs, task_states, unique

if len(sys.argv) > 1:
    # The other process: reads both results through the states of the server.
    with get_client(sync_client=True) as client:
        print("flow", client.read_flow_run(sys.argv[1]).state.result())
        print("task", client.read_task_run(sys.argv[2]).state.result())
    sys.exit()

KEY = unique("result") + ".json"
folder = Path(os.environ["PREFECT_HOME"]) / "results"
storage = LocalFileSystem(basepath=str(folder))
storage.save(unique("results"))


@task(persist_result=True, result_serializer="json", result_storage_key=KEY)
def numbers() -> list[float]:
    return [1, 1.5, 2]


@task(persist_result=False)
def forgotten() -> str:
    return "forgotten"


@flow(persist_result=True, result_storage=storage, result_serializer="json")
def keep() -> dict[str, object]:
    forgotten()
    return {"numbers": numbers(), "größe": "ä"}


state = keep(return_state=True)
run = run_id(state)
last = flow_states(run)[-1]
same(last["data"]["serializer"]["type"], "json", "serializer")
holds((folder / Path(last["data"]["storage_key"]).name).exists(), f"the file of {last['data']['storage_key']}")
same(last["data"]["storage_block_id"], str(storage._block_document_id), "the storage block in the flow's data")

rows = by_task(task_runs(run, 2))
same(task_states(rows["numbers"]["id"])[-1]["data"]["storage_key"].endswith(KEY), True, "the task's own storage key")
same(task_states(rows["forgotten"]["id"])[-1]["data"], None, "a result that is not persisted leaves no data")

reader = subprocess.run(
    [sys.executable, __file__, run, rows["numbers"]["id"]], capture_output=True, text=True, timeout=60
)
same(reader.returncode, 0, f"the other process: {reader.stderr[-2000:]}")
same(
    reader.stdout.splitlines(),
    ["flow {'numbers': [1, 1.5, 2], 'größe': 'ä'}", "task [1, 1.5, 2]"],
    "results read by another process",
)
