"""The slots of a process that was killed come back by themselves, and who waits for them gets them."""
# scenario: both databases, timeout 180 s

import os
import signal
import subprocess
import sys
import time

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.concurrency.sync import concurrency
from readback import eventually, get, note, same, unique

NAME = os.environ.setdefault("KILLED_LIMIT_NAME", unique("killed"))
TAG = os.environ.setdefault("KILLED_TAG", unique("killed-tag"))
# The shortest that there is, in seconds. The server looks every quarter of a minute.
LEASE, PATIENCE = 60.0, 100.0


@task(tags=[TAG])
def holds_slot_of_tag() -> None:
    with concurrency(NAME, lease_duration=LEASE, strict=True):
        time.sleep(600)


@task(tags=[TAG])
def runs_at_last() -> None:
    with concurrency(NAME, strict=True, timeout_seconds=PATIENCE):
        pass


@flow
def killed() -> None:
    holds_slot_of_tag()


@flow
def waiting() -> str:
    runs_at_last()
    return "done"


def slots() -> list[int]:
    return [
        get(f"/v2/concurrency_limits/{NAME}")["active_slots"],
        len(get(f"/concurrency_limits/tag/{TAG}")["active_slots"]),
    ]


def main() -> None:
    with get_client(sync_client=True) as client:
        client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=NAME, limit=1))
        client.create_concurrency_limit(tag=TAG, concurrency_limit=1)
    process = subprocess.Popen([sys.executable, __file__, "hold"])
    eventually("the process holds both slots", lambda: slots() == [1, 1], 60)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    same(slots(), [1, 1], "right after the process was killed")
    begun = time.monotonic()
    same(waiting(), "done", "who waited for the slots")
    note(f"slots of a killed process were free again after {time.monotonic() - begun:.0f} s")
    eventually("all slots are given back", lambda: slots() == [0, 0])


if __name__ == "__main__":
    killed() if len(sys.argv) > 1 else main()
