"""Materialized assets are recorded as events of the run, with what they were made from and what was said of them."""

from prefect import flow
from prefect.assets import Asset, AssetProperties, add_asset_metadata, materialize
from readback import events, flow_run, holds, run_id, same, states_of, task_runs, unique

MARK = unique("asset")
RAW = Asset(
    key=f"s3://{MARK}/raw.csv", properties=AssetProperties(name="Raw", owners=["größe"], url="https://example.com")
)
CLEAN, BROKEN = f"s3://{MARK}/clean.csv", f"s3://{MARK}/broken.csv"


@materialize(RAW)
def extract() -> list[int]:
    add_asset_metadata(RAW, {"rows": 3, "share": 1.0})
    return [1, 2, 3]


@materialize(CLEAN, by="dbt")
def clean(numbers: list[int]) -> list[int]:
    return numbers


@materialize(BROKEN)
def breaks() -> None:
    raise ValueError("broken")


@flow
def assets() -> None:
    clean(extract())
    breaks(return_state=True)


run = flow_run(run_id(assets(return_state=True)))
same(states_of(task_runs(run["id"], 3)), {"Completed": 2, "Failed": 1}, "tasks")
made = {
    event["resource"]["prefect.resource.id"]: event
    for event in events(
        {"event": {"prefix": ["prefect.asset.materialization."]}, "resource": {"id_prefix": [f"s3://{MARK}/"]}}, 3
    )
}
same(set(made), {RAW.key, CLEAN, BROKEN}, "materialized assets")
same(
    {key: event["event"].rpartition(".")[2] for key, event in made.items()},
    {RAW.key: "succeeded", CLEAN: "succeeded", BROKEN: "failed"},
    "outcomes",
)
same(made[RAW.key]["payload"], {"rows": 3, "share": 1.0}, "metadata")
same(made[RAW.key]["resource"]["prefect.resource.name"], "Raw", "name")
related = {(one["prefect.resource.role"], one["prefect.resource.id"]) for one in made[CLEAN]["related"]}
holds(("asset", RAW.key) in related, f"what an asset was made from: {related}")
holds(("flow-run", f"prefect.flow-run.{run['id']}") in related, "the flow run that made it")
holds(("asset-materialized-by", "dbt") in related, "the tool that made it")
