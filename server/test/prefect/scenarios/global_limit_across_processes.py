"""A global concurrency limit holds across processes: together they never hold more slots than there are."""
# scenario: both databases

import os
import subprocess
import sys
import time

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.concurrency.sync import concurrency
from readback import eventually, get, holds, same, unique

NAME = os.environ.setdefault("SHARED_LIMIT_NAME", unique("shared"))


@task
def occupied(number: int) -> tuple[float, float]:
    with concurrency(NAME, strict=True):
        begun = time.time()
        time.sleep(0.3)
        return begun, time.time()


@flow
def busy() -> list[tuple[float, float]]:
    return [future.result() for future in occupied.map(range(3))]


def main() -> None:
    with get_client(sync_client=True) as client:
        client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=NAME, limit=2))
    processes = [
        subprocess.Popen([sys.executable, __file__, "run"], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    held: list[tuple[float, float]] = []
    for process in processes:
        output, _ = process.communicate(timeout=80)
        same(process.returncode, 0, "end of a process")
        held += [tuple(map(float, line.split()[1:])) for line in output.splitlines() if line.startswith("held ")]
    same(len(held), 6, "times a slot was held")
    at_once = max(sum(begun <= moment < ended for begun, ended in held) for moment, _ in held)
    holds(at_once <= 2, f"{at_once} slots of 2 were held at once")
    eventually("all slots are given back", lambda: get(f"/v2/concurrency_limits/{NAME}")["active_slots"] == 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for begun, ended in busy():
            print("held", begun, ended, flush=True)
    else:
        main()
