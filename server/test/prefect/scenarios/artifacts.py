"""Artifacts of every kind are stored with their run, and a key keeps its versions and its newest one."""

# scenario: quick

import json

from prefect import flow, task
from prefect.artifacts import (
    Artifact,
    create_image_artifact,
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from readback import by_task, delete, get, post, request, run_id, same, task_runs, unique

KEY = unique("report")
made: dict[str, str] = {}


@task
def table() -> None:
    made["table"] = str(
        create_table_artifact(
            [{"city": "Zürich", "share": 1.0, "count": 1}], key=f"{KEY}-table", description="*cities*"
        )
    )


@task
def progress() -> None:
    identifier = create_progress_artifact(0.0, key=f"{KEY}-progress")
    made["progress"] = str(identifier)
    for share in (10.0, 55.5, 100.0):
        update_progress_artifact(identifier, share)


@flow
def reporting() -> None:
    table()
    progress()
    made["markdown"] = str(create_markdown_artifact("# Title\n\n| a | b |\n|---|---|\n", key=f"{KEY}-text"))
    made["newer"] = str(create_markdown_artifact("# Newer", key=f"{KEY}-text", description="second"))
    made["link"] = str(create_link_artifact("https://example.com/?a=1&b=2", link_text="example", key=f"{KEY}-link"))
    made["image"] = str(create_image_artifact("https://example.com/a.png", key=f"{KEY}-image"))
    made["without key"] = str(create_markdown_artifact("no key"))


run = run_id(reporting(return_state=True))
rows = by_task(task_runs(run, 2))
read = {name: get(f"/artifacts/{identifier}") for name, identifier in made.items()}
same({artifact["flow_run_id"] for artifact in read.values()}, {run}, "flow run of the artifacts")
same(read["table"]["task_run_id"], rows["table"]["id"], "task run of the table")
same(read["markdown"]["task_run_id"], None, "an artifact that the flow itself made")
same(
    {name: artifact["type"] for name, artifact in read.items()},
    {
        "table": "table",
        "progress": "progress",
        "markdown": "markdown",
        "newer": "markdown",
        "link": "markdown",
        "image": "image",
        "without key": "markdown",
    },
    "types",
)
same(json.loads(read["table"]["data"]), [{"city": "Zürich", "share": 1.0, "count": 1}], "data of the table")
same(read["table"]["description"], "*cities*", "description")
same(read["markdown"]["data"], "# Title\n\n| a | b |\n|---|---|\n", "data of the text")
same(read["link"]["data"], "[example](https://example.com/?a=1&b=2)", "data of the link")
same(read["image"]["data"], "https://example.com/a.png", "data of the image")
# As float: the reference server on SQLite turns a bare 100.0 into 100.
same(float(read["progress"]["data"]), 100.0, "data of the progress after its updates")
same(read["without key"]["key"], None, "an artifact without a key")

of_run = {"artifacts": {"flow_run_id": {"any_": [run]}}}
same(post("/artifacts/count", of_run), 7, "count of artifacts")
versions = post("/artifacts/filter", {"artifacts": {"key": {"any_": [f"{KEY}-text"]}}, "sort": "CREATED_DESC"})
same([one["id"] for one in versions], [made["newer"], made["markdown"]], "versions of a key, newest first")
latest = get(f"/artifacts/{KEY}-text/latest")
same(latest["data"], "# Newer", "newest of a key")
collection = post("/artifacts/latest/filter", {"artifacts": {"key": {"any_": [f"{KEY}-text"]}}})
same([one["latest_id"] for one in collection], [made["newer"]], "the collection of a key")
same(float(Artifact.get(f"{KEY}-progress").data), 100.0, "progress read by the SDK")
same(
    Artifact.get_or_create(f"{KEY}-text", type="markdown", data="other")[1], False, "an existing key is not made again"
)

graph = get(f"/flow_runs/{run}/graph-v2")
same(
    {one["key"] for one in graph["artifacts"] if one["key"]},
    {f"{KEY}-text", f"{KEY}-link", f"{KEY}-image"},
    "artifacts of the run in the graph",
)
nodes = dict(graph["nodes"])
same([float(one["data"]) for one in nodes[rows["progress"]["id"]]["artifacts"]], [100.0], "progress in the graph")

delete(f"/artifacts/{made['newer']}")
same(request("GET", f"/artifacts/{made['newer']}").status, 404, "a deleted artifact")
same(
    get(f"/artifacts/{KEY}-text/latest")["data"],
    "# Title\n\n| a | b |\n|---|---|\n",
    "the version before is the newest again",
)
