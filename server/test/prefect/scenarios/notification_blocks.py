"""A notification block of the catalogue is saved, loaded and sends its message to where it was told."""
# scenario: timeout 120 s

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from prefect import flow
from prefect.blocks.core import Block
from prefect.blocks.notifications import CustomWebhookNotificationBlock, SlackWebhook
from prefect.blocks.webhook import Webhook
from readback import get, holds, post, same, unique

NAME = unique("notify")
received: list[dict] = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        received.append({"path": self.path, "header": self.headers.get("x-mark"), "body": json.loads(body)})
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{receiver.server_port}"

CustomWebhookNotificationBlock(
    name=NAME,
    url=f"{address}/{{{{mark}}}}",
    json_data={"text": "{{subject}}: {{body}}", "mark": "{{mark}}"},
    headers={"X-Mark": "{{mark}}"},
    secrets={"mark": "hidden-mark"},
).save(NAME)


@flow
def notifies() -> None:
    CustomWebhookNotificationBlock.load(NAME).notify("größer", subject="Said")


notifies()
same(
    received,
    [
        {
            "path": "/hidden-mark",
            "header": "hidden-mark",
            "body": {"text": "Said: größer", "mark": "hidden-mark"},
        }
    ],
    "the notification",
)
document = get(f"/block_types/slug/custom-webhook/block_documents/name/{NAME}")
same(document["data"]["secrets"], {"mark": "********"}, "its secrets")

SlackWebhook(url="https://hooks.slack.com/services/x/y/z").save(NAME)
same(SlackWebhook.load(NAME).url.get_secret_value(), "https://hooks.slack.com/services/x/y/z", "another block")
loaded = Block.load(f"slack-webhook/{NAME}")
same(type(loaded).__name__, "SlackWebhook", "found by its slug")

Webhook(method="POST", url=f"{address}/hook", headers={"X-Mark": "a"}).save(NAME)
hook = Webhook.load(NAME)
same((hook.url.get_secret_value(), hook.headers.get_secret_value()), (f"{address}/hook", {"X-Mark": "a"}), "a webhook")

can_notify = {"block_schemas": {"block_capabilities": {"all_": ["notify"]}}}
slugs = {one["block_type"]["slug"] for one in post("/block_schemas/filter", can_notify)}
holds({"custom-webhook", "slack-webhook"} <= slugs, f"block types that can notify: {slugs}")
