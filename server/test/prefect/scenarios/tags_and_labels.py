"""Tags of contexts, flows and tasks reach the runs, filters use them, and labels are merged."""
# scenario: quick, both databases

from prefect import flow, tags, task
from prefect.client.orchestration import get_client
from readback import flow_run, get, holds, patch, post, run_id, same, task_runs, unique

MARK = unique("tag")


@task(tags=["of the task"])
def tagged_task() -> int:
    return 1


@flow
def child() -> int:
    return tagged_task()


@flow
def parent() -> int:
    with tags("within"):
        tagged_task()
    return child()


with tags(MARK, "größer"):
    with tags("nested"):
        run = flow_run(run_id(parent(return_state=True)))
plain = flow_run(run_id(parent(return_state=True)))

same(sorted(run["tags"]), sorted([MARK, "größer", "nested"]), "tags of the run")
same(plain["tags"], [], "tags outside of the context")
rows = task_runs(run["id"], 2)
tagged = next(row for row in rows if row["name"].startswith("tagged_task"))
same(sorted(tagged["tags"]), sorted([MARK, "größer", "nested", "of the task", "within"]), "tags of the task")
found = post("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [run["id"]]}}})
same([sorted(one["tags"]) for one in found], [sorted([MARK, "größer", "nested"])], "tags of the subflow")


def count(criteria: dict) -> int:
    return post(
        "/flow_runs/count", {"flow_runs": {"tags": criteria, "id": {"any_": [run["id"], plain["id"], found[0]["id"]]}}}
    )


same(count({"all_": [MARK]}), 2, "runs with one tag")
same(count({"all_": [MARK, "nested"]}), 2, "runs with both tags")
same(count({"all_": [MARK, "absent"]}), 0, "runs with a tag that is nowhere")
same(count({"any_": ["nested", "absent"]}), 2, "runs with any of the tags")
same(count({"is_null_": True}), 1, "runs without tags")
same(post("/task_runs/count", {"task_runs": {"tags": {"all_": [MARK, "within"]}}}), 1, "task runs by tags")

labels = run["labels"]
same(labels["prefect.flow.id"], run["flow_id"], "the flow in the labels")
with get_client(sync_client=True) as client:
    client.update_flow_run_labels(run["id"], {"team": "data", "attempt": 1, "share": 1.0, "good": True})
    client.update_flow_run_labels(run["id"], {"team": "platform"})
same(flow_run(run["id"])["labels"], {**labels, "team": "platform", "attempt": 1, "share": 1.0, "good": True}, "labels")

patch(f"/flow_runs/{run['id']}", {"tags": ["replaced"], "name": "renamed"})
after = flow_run(run["id"])
same((after["tags"], after["name"]), (["replaced"], "renamed"), "tags and name after a change")
holds(after["updated"] > run["updated"], "a change moves `updated`")
same(get(f"/flow_runs/{run['id']}")["state_id"], run["state_id"], "a change leaves the state")
