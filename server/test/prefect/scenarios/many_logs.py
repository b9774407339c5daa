"""Five thousand log lines of one run are all stored, once and in order."""
# scenario: both databases, timeout 120 s

import time

from prefect import flow, get_run_logger
from readback import logs, note, run_id, same

COUNT = 5000


@flow
def verbose() -> None:
    logger = get_run_logger()
    for number in range(COUNT):
        logger.info("line %d %s", number, "x" * 60)


run = run_id(verbose(return_state=True))
ended = time.monotonic()
found = logs(run, COUNT, seconds=60, level={"ge_": 20, "le_": 20})
note(f"{COUNT} lines readable {time.monotonic() - ended:.1f} s after the end of the flow")
lines = [int(log["message"].split()[1]) for log in found if log["message"].startswith("line ")]
same(lines, list(range(COUNT)), "every line once, in order")
same(len({log["id"] for log in found}), len(found), "different ids")
