"""Blocks nest to any depth, share a nested block, keep every kind of value, and follow changes of what they hold."""
# scenario: timeout 120 s

from typing import Any, Optional, Union

from prefect.blocks.core import Block
from prefect.blocks.system import Secret
from pydantic import Field, SecretStr
from readback import delete, get, holds, post, request, same, unique

NAME = unique("nested")
MARK = NAME.rpartition("-")[2]


class Key(Block):
    _block_type_name = f"Key {MARK}"

    value: SecretStr
    size: int = 1


class Plain(Block):
    _block_type_name = f"Plain {MARK}"

    number: float = 1.0


class Middle(Block):
    _block_type_name = f"Middle {MARK}"

    key: Key
    anything: Any = None


class Top(Block):
    _block_type_name = f"Top {MARK}"

    middle: Middle
    also: Optional[Key] = None
    either: Union[Key, Plain] = Field(default_factory=Plain)
    table: dict = {}


def slug(block: type[Block]) -> str:
    return block.get_block_type_slug()


key = Key(value="deep", size=2)
key.save(NAME)
values = {"one": 1, "float": 1.0, "big": 12345678901234567890, "none": None, "list": [True, "ß"]}
middle = Middle(key=key, anything=values)
middle.save(NAME)
Top(middle=middle, also=key, either=Plain(number=2.0), table={"b": 1, "a": 1.5}).save(NAME)

top = Top.load(NAME)
same(top.middle.key.value.get_secret_value(), "deep", "the secret of the innermost block")
same(top.middle.anything, values, "values of any kind")
same((type(top.either).__name__, top.either.number), ("Plain", 2.0), "one of two types")
same(list(top.table), ["b", "a"], "the order of keys")

document = get(f"/block_types/slug/{slug(Top)}/block_documents/name/{NAME}")
inner = get(f"/block_types/slug/{slug(Key)}/block_documents/name/{NAME}")
references = document["block_document_references"]
same(references["also"]["block_document"]["id"], inner["id"], "the shared block")
nested = references["middle"]["block_document"]["block_document_references"]["key"]["block_document"]
same(nested["id"], inner["id"], "and inside another")
same(document["data"]["middle"]["key"]["value"], "********", "hidden inside")
anonymous = post("/block_documents/filter", {"block_documents": {"is_anonymous": {"eq_": True}}, "limit": 200})
holds(all(one["name"].startswith("anonymous-") for one in anonymous), "blocks without a name")

schema = get(f"/block_schemas/{document['block_schema_id']}")
same(schema["checksum"], Top._calculate_schema_checksum(), "checksum")
same(
    sorted(one["block_type_slug"] for one in schema["fields"]["block_schema_references"]["either"]),
    sorted([slug(Key), slug(Plain)]),
    "alternatives of a field",
)

Key(value="changed", size=3).save(NAME, overwrite=True)
again = Top.load(NAME)
same(
    (again.also.value.get_secret_value(), again.middle.key.value.get_secret_value(), again.middle.key.size),
    ("changed", "changed", 3),
    "seen through every block that holds it",
)

for value in ("text", {"a": [1.0, None]}, [1, "b"]):
    Secret(value=value).save(f"{NAME}-kinds", overwrite=True)
    loaded = Secret.load(f"{NAME}-kinds").get()
    same(loaded, value, "a secret of any kind")
same(get(f"/block_types/slug/secret/block_documents/name/{NAME}-kinds")["data"], {"value": "********"}, "hidden")

delete(f"/block_documents/{document['id']}")
same(request("GET", f"/block_documents/{inner['id']}").status, 200, "what was nested outlives the block around it")
