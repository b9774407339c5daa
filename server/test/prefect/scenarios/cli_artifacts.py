"""`prefect artifact` lists the newest or all artifacts of a key, shows them, and deletes one or all."""
# scenario: timeout 240 s

from command import prefect, prefect_json
from prefect import flow
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from readback import holds, post, request, same, unique

KEY = unique("report")


@flow
def reporting() -> None:
    create_markdown_artifact("# First", key=KEY)
    create_table_artifact([{"a": 1.0}], key=KEY, description="newest")


def stored() -> list[dict]:
    return post("/artifacts/filter", {"artifacts": {"key": {"any_": [KEY]}}, "sort": "CREATED_DESC"})


reporting()
newest, first = stored()
latest = [one for one in prefect_json("artifact", "ls") if one["key"] == KEY]
same([(one["type"], one["latest_id"]) for one in latest], [("table", newest["id"])], "artifact ls")
every = [one["id"] for one in prefect_json("artifact", "ls", "--all") if one["key"] == KEY]
same(sorted(every), sorted([newest["id"], first["id"]]), "artifact ls --all")

shown = prefect_json("artifact", "inspect", KEY)
same({one["id"] for one in shown}, {newest["id"], first["id"]}, "artifact inspect")
holds("# First" in prefect("artifact", "inspect", KEY), "its content")

prefect("--no-prompt", "artifact", "delete", "--id", newest["id"])
same([one["id"] for one in stored()], [first["id"]], "after one was deleted")
collection = post("/artifacts/latest/filter", {"artifacts": {"key": {"any_": [KEY]}}})
same([one["latest_id"] for one in collection], [first["id"]], "the one before is the newest again")
prefect("--no-prompt", "artifact", "delete", KEY)
same(stored(), [], "after the key was deleted")
same(request("GET", f"/artifacts/{KEY}/latest").status, 404, "the newest of a deleted key")
holds("not found" in prefect("artifact", "inspect", KEY, fails=True).lower(), "inspecting a deleted key")
