"""Automations made with the SDK send notifications, call webhooks, and change runs, deployments and work pools."""

# scenario: quick, both databases, timeout 150 s

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prefect.automations import Automation
from prefect.blocks.notifications import CustomWebhookNotificationBlock, MattermostWebhook
from prefect.blocks.webhook import Webhook
from prefect.events import emit_event
from prefect.events.actions import (
    CallWebhook,
    CancelFlowRun,
    ChangeFlowRunState,
    PauseDeployment,
    PauseWorkPool,
    ResumeDeployment,
    ResumeFlowRun,
    ResumeWorkPool,
    RunDeployment,
    SendNotification,
    SuspendFlowRun,
)
from prefect.events.schemas.automations import EventTrigger, Posture
from readback import eventually, get, post, same, unique

NAME = unique("actions")
received: list[tuple[str, str, str]] = []


class Target(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        received.append((self.path, self.headers.get("x-key", ""), body))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        pass


target = ThreadingHTTPServer(("127.0.0.1", 0), Target)
threading.Thread(target=target.serve_forever, daemon=True).start()
port = target.server_address[1]
url = f"http://127.0.0.1:{port}"


def outcome(action, resource: dict[str, str] | None = None) -> dict:
    """Lets an automation with one action fire, and answers the event that tells what became of the action."""
    expect = unique("go")
    automation = Automation(
        name=unique("automation"),
        trigger=EventTrigger(expect={expect}, posture=Posture.Reactive, threshold=1),
        actions=[action],
    ).create()
    time.sleep(0.5)  # the reference server learns of a new automation a little later
    emit_event(event=expect, resource=resource or {"prefect.resource.id": "thing.1"}, payload={"n": 7})

    def told() -> dict | None:
        names = ["prefect.automation.action.executed", "prefect.automation.action.failed"]
        which = {"event": {"name": names}, "resource": {"id": [f"prefect.automation.{automation.id}"]}}
        found = post("/events/filter", {"filter": which})["events"]
        return found[0] if found else None

    return eventually(f"the outcome of {action.type}", told)


def executed(action, resource: dict[str, str] | None = None) -> dict:
    event = outcome(action, resource)
    same(event["event"], "prefect.automation.action.executed", f"{action.type}: {event['payload']}")
    return event


webhook = Webhook(url=f"{url}/hook", headers={"X-Key": "s3cret"})
hook_id = webhook.save(NAME)
same(Webhook.load(NAME).url.get_secret_value(), f"{url}/hook", "the webhook block")
payload = '{"id": "{{ event.resource.id }}", "n": {{ event.payload.n }}}'
event = executed(CallWebhook(block_document_id=hook_id, payload=payload))
same(event["payload"]["status_code"], 200, "status of the webhook")
path, key, body = received.pop()
same((path, key, json.loads(body)), ("/hook", "s3cret", {"id": "thing.1", "n": 7}), "the webhook's request")

custom = CustomWebhookNotificationBlock(
    name="mine",
    url=f"{url}/custom",
    json_data={"text": "{{subject}}: {{body}}", "token": "{{token}}"},
    secrets={"token": "s3cret"},
)
executed(SendNotification(block_document_id=custom.save(NAME), subject="Hello", body="{{ event.payload.n }}"))
path, _, body = received.pop()
same((path, json.loads(body)), ("/custom", {"text": "Hello: 7", "token": "s3cret"}), "the notification")

mattermost = MattermostWebhook(hostname="127.0.0.1", port=port, token="t0ken")
executed(SendNotification(block_document_id=mattermost.save(NAME), subject="Hello", body="there"))
path, _, body = received.pop()
same((path, json.loads(body)["text"]), ("/hooks/t0ken", "Hello\r\nthere"), "the message to Mattermost")
same(received, [], "requests that nobody asked for")




flow_id = post("/flows/", {"name": NAME})["id"]
pool = post("/work_pools/", {"name": NAME, "type": "process"})
deployment = post("/deployments/", {"name": NAME, "flow_id": flow_id, "work_pool_name": NAME, "entrypoint": "a.py:b"})


def run(state: str) -> tuple[str, dict[str, str]]:
    made = post("/flow_runs/", {"flow_id": flow_id, "deployment_id": deployment["id"], "state": {"type": state}})
    return made["id"], {"prefect.resource.id": f"prefect.flow-run.{made['id']}"}


def state_of(run_id: str) -> tuple[str, str]:
    state = get(f"/flow_runs/{run_id}")["state"]
    return state["type"], state["name"]


running, resource = run("RUNNING")
executed(SuspendFlowRun(), resource)
same(state_of(running), ("PAUSED", "Suspended"), "after the suspension")
executed(ResumeFlowRun(), resource)
same(state_of(running), ("SCHEDULED", "Resuming"), "after the resumption")
executed(ChangeFlowRunState(state="FAILED", name="Given up", message="no more"), resource)
same(state_of(running), ("FAILED", "Given up"), "after the change")
same(get(f"/flow_runs/{running}")["state"]["message"], "no more", "message of the change")
cancelled, resource = run("RUNNING")
executed(CancelFlowRun(), resource)
same(state_of(cancelled), ("CANCELLING", "Cancelling"), "after the cancellation")

executed(PauseDeployment(source="selected", deployment_id=deployment["id"]))
same(get(f"/deployments/{deployment['id']}")["paused"], True, "the paused deployment")
executed(ResumeDeployment(source="inferred"), {"prefect.resource.id": f"prefect.deployment.{deployment['id']}"})
same(get(f"/deployments/{deployment['id']}")["paused"], False, "the resumed deployment")
executed(PauseWorkPool(source="selected", work_pool_id=pool["id"]))
same(get(f"/work_pools/{NAME}")["is_paused"], True, "the paused pool")
executed(ResumeWorkPool(source="inferred"), {"prefect.resource.id": f"prefect.work-pool.{pool['id']}"})
same(get(f"/work_pools/{NAME}")["is_paused"], False, "the resumed pool")

event = executed(
    RunDeployment(source="selected", deployment_id=deployment["id"], parameters={"n": "{{ event.payload.n }}"})
)
made = next(one for one in event["related"] if one["prefect.resource.role"] == "flow-run")
flow_run = get(f"/flow_runs/{made['prefect.resource.id'].removeprefix('prefect.flow-run.')}")
same(flow_run["parameters"], {"n": 7}, "parameters of the run")
same(flow_run["created_by"]["type"], "AUTOMATION", "who made the run")

event = outcome(CancelFlowRun())
same(event["event"], "prefect.automation.action.failed", "an action without a run")
same(event["payload"]["reason"], "No flow run could be inferred", "its reason")
