"""`prefect block` registers types from a file, shows types and blocks without their secrets, and deletes them."""
# scenario: timeout 240 s

import json
from pathlib import Path

from command import prefect, prefect_json
from prefect.blocks.system import Secret
from readback import get, holds, request, same, unique

MARK = unique("registered")
slug = MARK.lower()
source = Path(f"{MARK}.py".replace("-", "_"))
source.write_text(f"""
from typing import Optional

from prefect.blocks.core import Block
from pydantic import SecretStr

class {MARK.replace("-", "").title()}(Block):
    _block_type_name = "{MARK}"
    _block_type_slug = "{slug}"

    user: str
    password: Optional[SecretStr] = None
    ratio: float = 1.0
""")

holds(MARK in prefect("block", "register", "--file", str(source)), "block register")
prefect("block", "register", "--file", str(source))
prefect("block", "register", "--module", "prefect.blocks.system")
block_type = get(f"/block_types/slug/{slug}")
same((block_type["name"], block_type["is_protected"]), (MARK, False), "the registered type")
holds(slug in [one["slug"] for one in prefect_json("block", "type", "ls")], "block type ls")
same(prefect_json("block", "type", "inspect", slug)["block_type"]["id"], block_type["id"], "block type inspect")
holds("not found" in prefect("block", "type", "inspect", "no-such-type", fails=True).lower(), "an unknown type")

Secret(value="hush-hush").save(MARK)
document = get(f"/block_types/slug/secret/block_documents/name/{MARK}")
listed = [one for one in prefect_json("block", "ls") if one["id"] == document["id"]]
same([one["name"] for one in listed], [MARK], "block ls")
for arguments in ((f"secret/{MARK}",), ("--id", document["id"])):
    shown = prefect_json("block", "inspect", *arguments)
    same(shown["id"], document["id"], f"block inspect {arguments}")
    holds("hush-hush" not in json.dumps(shown), "a secret is not shown")
    holds("hush-hush" not in prefect("block", "inspect", *arguments), "nor as text")

prefect("--no-prompt", "block", "delete", f"secret/{MARK}")
same(request("GET", f"/block_documents/{document['id']}").status, 404, "block delete")
holds("not found" in prefect("--no-prompt", "block", "delete", f"secret/{MARK}", fails=True).lower(), "once more")
prefect("--no-prompt", "block", "type", "delete", slug)
same(request("GET", f"/block_types/slug/{slug}").status, 404, "block type delete")
holds("protected" in prefect("--no-prompt", "block", "type", "delete", "secret", fails=True).lower(), "a protected type")
