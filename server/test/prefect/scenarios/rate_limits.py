"""A rate limit lets through what its slots allow, and from then on no more than come back by decay."""
# scenario: both databases

import time

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.concurrency.sync import rate_limit
from readback import eventually, get, holds, note, request, same, unique

NAME, PLAIN = unique("rate"), unique("plain")
PER_SECOND = 4.0
SLOTS, CALLS = 4, 10


@flow
def calls() -> list[float]:
    moments = []
    for _ in range(CALLS):
        rate_limit(NAME, strict=True)
        moments.append(time.monotonic())
    return moments


with get_client(sync_client=True) as client:
    client.create_global_concurrency_limit(
        GlobalConcurrencyLimitCreate(name=NAME, limit=SLOTS, slot_decay_per_second=PER_SECOND)
    )
    client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=PLAIN, limit=1))

moments = calls()
took = moments[-1] - moments[0]
note(f"{CALLS} calls in {took:.1f} s")
# Whole slots come back, so the first may come almost a slot early.
holds(took >= (CALLS - SLOTS - 1) / PER_SECOND, f"{CALLS} calls took only {took:.2f} s")
eventually("the slots come back by themselves", lambda: get(f"/v2/concurrency_limits/{NAME}")["active_slots"] == 0)

answer = request("POST", "/v2/concurrency_limits/increment", {"names": [PLAIN], "slots": 1, "mode": "rate_limit"})
same(answer.status, 422, "a rate limit needs a decay")
holds(answer.body["detail"].endswith(f"do not have a decay configured: '{PLAIN}'"), answer.text)
