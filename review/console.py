"""The API console: the API's description with a form to try each operation.

Generated from the OpenAPI description. Third-party consoles need scripts and styles that our content security policy
forbids.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from projects.sites import access
from projects.web.http import API_PATH, DeskRequest, render_answer
from review.api import api


@dataclass(frozen=True)
class Parameter:
    """``place``: path, query or header."""

    name: str
    place: str
    required: bool
    about: str
    example: str


@dataclass(frozen=True)
class Operation:
    """``body``: an example as JSON, or empty. ``form``: the operation takes a file, which this page cannot send.

    ``curl``: the same request for a shell.
    """

    id: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[Parameter, ...]
    body: str
    form: bool
    answers: tuple[tuple[str, str], ...]

    @property
    def curl(self) -> str:
        parts = ["curl"] if self.method == "GET" else ["curl", "-X", self.method]
        parts.append('-H "Authorization: Bearer $KEY"')
        if self.form:
            parts.append("-F file=@invoice.pdf")
        if self.body:
            parts.append(f"-H 'Content-Type: application/json' -d '{json.dumps(json.loads(self.body))}'")
        return " ".join([*parts, f'"$DESK{self.path}"'])


@require_safe
def show_console(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    return render_answer(request, "review/console/show.html", None, {"groups": list_groups(), "api_path": API_PATH})


@functools.cache
def list_groups() -> list[tuple[str, list[Operation]]]:
    """Return the operations by tag, in the order of the description."""
    described: Any = api.get_openapi_schema(path_prefix=API_PATH)
    groups: dict[str, list[Operation]] = {}
    for address, operations in described["paths"].items():
        for method, one in operations.items():
            found = _read_operation(described, address, method, one)
            groups.setdefault(str(one["tags"][0]).capitalize(), []).append(found)
    return list(groups.items())


def _read_operation(described: Mapping[str, Any], address: str, method: str, one: Mapping[str, Any]) -> Operation:
    content = one.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    return Operation(
        id=one["operationId"],
        method=method.upper(),
        path=address,
        summary=one["summary"],
        about=one.get("description", ""),
        parameters=tuple(_list_parameters(one)),
        body=json.dumps(find_example(described, schema), indent=2, ensure_ascii=False) if schema else "",
        form="multipart/form-data" in content,
        answers=tuple((status, answer["description"]) for status, answer in one["responses"].items()),
    )


def _list_parameters(one: Mapping[str, Any]) -> Iterator[Parameter]:
    for found in one.get("parameters", ()):
        schema = found.get("schema", {})
        example = (schema.get("examples") or [schema.get("default") or ""])[0]
        about = found.get("description") or schema.get("description") or ""
        yield Parameter(found["name"], found["in"], bool(found.get("required")), about, str(example))


def find_example(described: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return a schema's first example, following references; an empty object if it has none."""
    if "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return (schema.get("examples") or [{}])[0]


app_name = "console"
urlpatterns = [path("", show_console, name="show-console")]
