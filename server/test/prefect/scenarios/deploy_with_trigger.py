"""`prefect deploy` makes an automation for each trigger of prefect.yaml, and replaces it the next time."""
# scenario: timeout 120 s

import tempfile
from pathlib import Path

from command import prefect
from readback import delete, get, post, same, unique

NAME = unique("yaml")
folder = Path(tempfile.mkdtemp())
(folder / "job.py").write_text(f'from prefect import flow\n\n\n@flow(name="{NAME}")\ndef job(n: int = 1): ...\n')
post("/work_pools/", {"name": NAME, "type": "process"})


def deploy(triggers: str) -> list:
    (folder / "prefect.yaml").write_text(
        f"""
name: project
pull:
  - prefect.deployments.steps.set_working_directory:
      directory: {folder}
deployments:
  - name: job
    entrypoint: job.py:job
    work_pool: {{name: "{NAME}"}}
    triggers:{triggers}
"""
    )
    prefect("--no-prompt", "deploy", "--name", "job", folder=folder)
    deployment = get(f"/deployments/name/{NAME}/job")
    return get(f"/automations/related-to/prefect.deployment.{deployment['id']}")


first = deploy(
    f"""
      - type: event
        expect: ["{NAME}.go"]
        match: {{"prefect.resource.id": "{NAME}.*"}}
        parameters: {{n: 2}}
      - type: sequence
        within: 60
        triggers:
          - {{type: event, expect: ["{NAME}.a"], posture: Reactive}}
          - {{type: event, expect: ["{NAME}.b"], posture: Reactive}}
"""
)
by_type = {one["trigger"]["type"]: one for one in first}
same(sorted(by_type), ["event", "sequence"], "an automation for each trigger")
same(by_type["event"]["actions"][0]["parameters"], {"n": 2}, "parameters of the run")
same(len(by_type["sequence"]["trigger"]["triggers"]), 2, "parts of the sequence")
second = deploy(f"""
      - type: event
        expect: ["{NAME}.other"]
""")
same([one["trigger"]["expect"] for one in second], [[f"{NAME}.other"]], "the old ones are replaced")
same(deploy(" []"), [], "no triggers, no automations")
delete(f"/work_pools/{NAME}")
