"""`prefect events emit` stores an event, and `prefect events stream` prints those that come."""
# scenario: timeout 240 s

import json
import os
import subprocess
import time

from command import COMMAND, prefect
from readback import events, holds, same, unique

MARK = unique("emitted")
NAME = f"scenario.{MARK}"

streaming = subprocess.Popen(
    [*COMMAND, "events", "stream", "--format", "json"],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    env={**os.environ, "COLUMNS": "5000", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
)
try:
    emitted = 0
    line = streaming.stdout.readline()
    while "Subscribed" not in line and "{" not in line and line:
        line = streaming.stdout.readline()
    prefect(
        "events",
        "emit",
        NAME,
        "--resource-id",
        MARK,
        "--payload",
        '{"ratio": 1.0, "big": 12345678901234567890}',
        "--related",
        '{"prefect.resource.id": "thing.1", "prefect.resource.role": "beside"}',
    )
    [stored] = events({"event": {"name": [NAME]}}, 1)
    same(stored["resource"]["prefect.resource.id"], MARK, "its resource")
    same(stored["payload"], {"ratio": 1.0, "big": 12345678901234567890}, "its payload")
    same(stored["related"][0]["prefect.resource.role"], "beside", "its related resource")

    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and NAME not in (line := streaming.stdout.readline()):
        holds(line != "", f"the stream ended with {streaming.poll()}")
    same(json.loads(line[line.index("{") :])["id"], stored["id"], "the streamed event")
finally:
    streaming.kill()
    streaming.wait(10)
