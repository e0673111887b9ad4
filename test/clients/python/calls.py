"""What a user writes with the generated client: a function and a row are made, and read back. Prints their ids."""

import json
import sys

from countersign_client.api.automations import automations_create_function, automations_get_function
from countersign_client.api.bases import bases_create_base, bases_create_row, bases_create_table, bases_get_row
from countersign_client.client import AuthenticatedClient
from countersign_client.models.create_base import CreateBase
from countersign_client.models.create_function import CreateFunction
from countersign_client.models.create_row import CreateRow
from countersign_client.models.create_row_values import CreateRowValues
from countersign_client.models.create_table import CreateTable
from countersign_client.models.get_function import GetFunction
from countersign_client.models.get_row import GetRow

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True)

made = automations_create_function.sync(client=client, body=CreateFunction(name="report", code="return 1"))
function = automations_get_function.sync(client=client, body=GetFunction(id=made.id))

base = bases_create_base.sync(client=client, body=CreateBase(name="Shop"))
fields = [{"name": "title", "type": "text"}]
table = bases_create_table.sync(
    client=client, body=CreateTable.from_dict({"baseId": base.id, "name": "posts", "fields": fields})
)
values = CreateRowValues.from_dict({"title": "One"})
row = bases_create_row.sync(client=client, body=CreateRow(table_id=table.id, values=values))
read = bases_get_row.sync(client=client, body=GetRow(table_id=table.id, id=row.id))

print(json.dumps({"function": function.to_dict(), "row": read.to_dict()}))
