"""A limit on a tag holds for the tasks of all processes, shows who holds its slots, and 0 lets none run."""
# scenario: both databases

import os
import subprocess
import sys
import time

from prefect import flow, task
from prefect.client.orchestration import get_client
from readback import eventually, get, holds, same, unique

TAG = os.environ.setdefault("LIMITED_TAG", unique("tag"))
NEVER = os.environ.setdefault("FORBIDDEN_TAG", unique("never"))


@task(tags=[TAG])
def limited() -> tuple[float, float]:
    begun = time.time()
    time.sleep(0.5)
    return begun, time.time()


@task(tags=[NEVER])
def forbidden() -> None: ...


@flow
def tasks() -> list[tuple[float, float]]:
    return [future.result() for future in [limited.submit() for _ in range(2)]]


@flow
def stuck() -> None:
    forbidden()


def main() -> None:
    with get_client(sync_client=True) as client:
        client.create_concurrency_limit(tag=TAG, concurrency_limit=1)
        client.create_concurrency_limit(tag=NEVER, concurrency_limit=0)
        processes = [
            subprocess.Popen([sys.executable, __file__, "run"], stdout=subprocess.PIPE, text=True) for _ in range(2)
        ]
        holder = eventually(
            "a task run holds the slot", lambda: client.read_concurrency_limit_by_tag(TAG).active_slots, 60
        )
        same(len(holder), 1, "task runs that hold the only slot")
        held: list[tuple[float, float]] = []
        for process in processes:
            output, _ = process.communicate(timeout=80)
            same(process.returncode, 0, "end of a process")
            held += [tuple(map(float, line.split()[1:])) for line in output.splitlines() if line.startswith("held ")]
        same(len(held), 4, "tasks that ran")
        held.sort()
        holds(all(one[1] <= next[0] for one, next in zip(held, held[1:])), f"tasks ran at the same time: {held}")
        eventually("the slot is given back", lambda: get(f"/concurrency_limits/tag/{TAG}")["active_slots"] == [])

        state = stuck(return_state=True)
        same(state.type.value in ("FAILED", "CRASHED"), True, "a flow whose task may never run")
        client.delete_concurrency_limit_by_tag(NEVER)
        same(stuck(return_state=True).type.value, "COMPLETED", "without the limit")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for begun, ended in tasks():
            print("held", begun, ended, flush=True)
    else:
        main()
