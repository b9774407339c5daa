"""`prefect automation` creates, lists, shows, pauses, resumes and deletes automations."""

import tempfile
from pathlib import Path

from command import prefect, prefect_json
from readback import get, holds, post, request, same, unique

NAME = unique("cli-automation")
EVENT = unique("cli.event")


def automation(*arguments: str, fails: bool = False) -> str:
    return prefect("automation", *arguments, fails=fails)


description = Path(tempfile.mkdtemp()) / "automation.yaml"
description.write_text(
    f"""
name: {NAME}
description: größer
trigger:
  type: event
  expect: ["{EVENT}"]
  posture: Proactive
  threshold: 2
  within: 60
actions:
  - type: do-nothing
""",
    encoding="utf8",
)
automation("create", "--from-file", str(description))
(made,) = post("/automations/filter", {"automations": {"name": {"any_": [NAME]}}})
same((made["enabled"], made["description"], made["trigger"]["within"]), (True, "größer", 60.0), "created")
same(made["trigger"]["posture"], "Proactive", "its posture")

inspected = prefect_json("automation", "inspect", NAME)
inspected = inspected[0] if isinstance(inspected, list) else inspected
same((inspected["id"], inspected["trigger"]["expect"]), (made["id"], [EVENT]), "inspected")
holds(made["id"] in automation("inspect", "--id", made["id"], "--output", "json"), "inspected by id")
holds(made["id"] in automation("ls"), "listed")

automation("pause", NAME)
same(get(f"/automations/{made['id']}")["enabled"], False, "paused")
automation("resume", "--id", made["id"])
same(get(f"/automations/{made['id']}")["enabled"], True, "resumed")
automation("delete", "--id", made["id"])
same(request("GET", f"/automations/{made['id']}").status, 404, "deleted")
holds("not found" in automation("inspect", NAME, fails=True).lower(), "what is not there")
