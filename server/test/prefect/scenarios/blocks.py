"""Blocks are registered, saved, nested, loaded in flows and overwritten, and their secrets are not shown."""
# scenario: quick, both databases

from typing import Optional

from prefect import flow
from prefect.blocks.core import Block
from prefect.blocks.system import Secret
from prefect.filesystems import LocalFileSystem
from pydantic import SecretStr
from readback import get, post, request, same, unique

NAME = unique("block")


class TestCredentials(Block):
    _block_type_name = unique("Test Credentials")

    user: str
    password: SecretStr
    ratio: float = 1.0
    port: int = 1


class TestDatabase(Block):
    _block_type_name = unique("Test Database")

    host: str
    credentials: TestCredentials
    options: Optional[dict] = None


@flow
def uses_blocks() -> tuple:
    database = TestDatabase.load(NAME)
    return database.credentials.password.get_secret_value(), Secret.load(NAME).get(), database.options


Secret(value="größe").save(NAME)
credentials = TestCredentials(user="ä", password="s3cret", ratio=2.0)
credentials.save(NAME)
TestDatabase(host="db", credentials=credentials, options={"z": 1.0, "a": 1}).save(NAME)
same(uses_blocks(), ("s3cret", "größe", {"z": 1.0, "a": 1}), "blocks loaded in a flow")

slug = TestCredentials.get_block_type_slug()
path = f"/block_types/slug/{slug}/block_documents/name/{NAME}"
document = get(path)
same(document["data"], {"user": "ä", "password": "********", "ratio": 2.0, "port": 1}, "without its secret")
same(get(f"{path}?include_secrets=true")["data"]["password"], "s3cret", "with its secret")
same(document["block_type"]["name"], TestCredentials._block_type_name, "block type")
same(
    get(f"/block_schemas/{document['block_schema_id']}")["checksum"],
    TestCredentials._calculate_schema_checksum(),
    "checksum",
)

nested = get(f"/block_types/slug/{TestDatabase.get_block_type_slug()}/block_documents/name/{NAME}")
same(nested["block_document_references"]["credentials"]["block_document"]["id"], document["id"], "the nested block")
same(nested["data"]["credentials"]["user"], "ä", "data of the nested block")

try:
    TestCredentials(user="b", password="x").save(NAME)
    raise AssertionError("a block was overwritten without being asked to")
except ValueError:
    pass
TestCredentials(user="b", password="other").save(NAME, overwrite=True)
loaded = TestDatabase.load(NAME).credentials
same((loaded.user, loaded.password.get_secret_value(), loaded.ratio), ("b", "other", 1.0), "after the overwriting")

folder = LocalFileSystem(basepath="/tmp/somewhere")
folder.save(NAME)
same(LocalFileSystem.load(NAME).basepath, "/tmp/somewhere", "a block of the SDK")
found = post("/block_documents/filter", {"block_documents": {"name": {"any_": [NAME]}}})
same(len(found), 4, "documents with the name")
Secret.delete(NAME)
same(request("GET", f"/block_types/slug/secret/block_documents/name/{NAME}").status, 404, "after the deletion")
