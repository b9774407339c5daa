"""`prefect cloud webhook` makes, lists, changes and deletes webhooks of a hosted workspace, and their address makes events."""
# Signalbox only: the reference server has no webhooks.
# scenario: own server, timeout 180 s

import json
import os
import re
import subprocess
import urllib.error
import urllib.request

from command import COMMAND
from keys import call, key_of_admin
from readback import URL, eventually, same

key = key_of_admin()
_, organizations = call(key, "GET", "/v0/organizations")
_, workspaces = call(key, "GET", f"/v0/organizations/{organizations['items'][0]['id']}/workspaces")
base = f"/accounts/{organizations['items'][0]['id']}/workspaces/{workspaces['items'][0]['id']}"
hosted = {"PREFECT_CLOUD_API_URL": URL, "PREFECT_API_URL": URL + base, "PREFECT_API_KEY": key}


def webhook(*words: str) -> str:
    """What the command prints. Some ask whether one is sure, also with `--no-prompt`."""
    environment = {**os.environ, **hosted, "COLUMNS": "500", "NO_COLOR": "1", "TERM": "dumb"}
    command = [*COMMAND, "cloud", "webhook", *words]
    done = subprocess.run(command, input="y\n", env=environment, capture_output=True, text=True, timeout=60)
    same(done.returncode, 0, f"{words[0]}: {done.stdout}{done.stderr}")
    return done.stdout


def send(address: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, b"{}", method="POST")) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


template = json.dumps({"event": "model.refreshed", "resource": {"prefect.resource.id": "model.1"}})
webhook("create", "models", "--description", "of the lab", "--template", template)
(made,) = json.loads(webhook("ls", "--output", "json"))
same((made["name"], made["description"], made["enabled"]), ("models", "of the lab", True), "webhook create")
webhook("update", made["id"], "--name", "models of the lab")
same(json.loads(webhook("get", made["id"], "--output", "json"))["name"], "models of the lab", "webhook update")

rotated = webhook("rotate", made["id"])
slug = re.search(r"\bsbh_\w+", rotated)
assert slug, f"webhook rotate prints the secret part of the address: {rotated}"
address = f"{URL.removesuffix('/api')}/hooks/{slug[0]}"
same(send(address), 204, "a request to the address")


def events() -> list[tuple[str, str]]:
    _, found = call(key, "POST", f"{base}/events/filter", {"filter": {"event": {"prefix": ["model."]}}})
    return [(one["event"], one["resource"]["prefect.resource.id"]) for one in found["events"]]


eventually("the request is an event", lambda: events() == [("model.refreshed", "model.1")])
webhook("toggle", made["id"])
same(send(address), 404, "webhook toggle")
webhook("delete", made["id"])
same(json.loads(webhook("ls", "--output", "json")), [], "webhook delete")
