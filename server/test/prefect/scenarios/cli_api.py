"""`prefect api` sends any request and prints the answer, and fails with the server's words."""
# scenario: timeout 240 s

import json
from pathlib import Path

from command import prefect
from readback import get, holds, same, unique

NAME = unique("by-api")


def answer(*arguments: str):
    printed = prefect("api", *arguments)
    return json.loads(printed)


flow = answer("POST", "/flows/", "--data", json.dumps({"name": NAME, "tags": ["one"]}))
same((flow["name"], get(f"/flows/{flow['id']}")["tags"]), (NAME, ["one"]), "POST with data")
same(answer("GET", f"/flows/{flow['id']}")["id"], flow["id"], "GET")
body = Path(f"{NAME}.json")
body.write_text(json.dumps({"flows": {"name": {"any_": [NAME]}}}))
same([one["id"] for one in answer("POST", "/flows/filter", "--data", f"@{body}")], [flow["id"]], "data of a file")
same(answer("GET", "/health"), True, "an answer that is no object")
same(answer("GET", "/admin/version"), "3.9.1", "a text")

prefect("api", "PATCH", f"/flows/{flow['id']}", "--data", '{"tags": ["two"]}')
same(get(f"/flows/{flow['id']}")["tags"], ["two"], "PATCH")
prefect("api", "DELETE", f"/flows/{flow['id']}")
holds("Flow not found" in prefect("api", "GET", f"/flows/{flow['id']}", fails=True), "an unknown flow")
refused = prefect("api", "POST", "/flows/", "--data", '{"zzz": 1}', fails=True)
holds("422" in refused, f"a body that does not fit: {refused}")
