"""The API documentation page: every endpoint of the schema, with an example command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "patch", "put", "delete")
JSON, MULTIPART = "application/json", "multipart/form-data"
ORGANIZERS, MEMBERS = "organizers", "members of the campaign"
ASSESSORS = "assessors of the topic"
EVERYONE = "everyone, without a token"

# The roles that may call, by group of endpoints and, where it differs, by "METHOD path".
# The rules are those of the pages; an object that a user may not see is answered with 404.
WHO = {
    "campaigns": MEMBERS,
    "members": ORGANIZERS,
    "topics": MEMBERS,
    "documents": MEMBERS,
    "runs": "organizers; participants for their team",
    "pools": ORGANIZERS,
    "plans": ORGANIZERS,
    "progress": "organizers; assessors for their own",
    "stopping-rules": ORGANIZERS,
    "judgments": ASSESSORS,
    "automatic": ORGANIZERS,
    "studies": ORGANIZERS,
    "comparisons": "assessors of the campaign",
    "preferences": ORGANIZERS,
    "interleaving": EVERYONE,
    "click-preferences": EVERYONE,
    "qrels": ORGANIZERS,
    "score-sets": "organizers; participants after release",
    "run-scores": "organizers; participants for their team, after release",
    "measures": EVERYONE,
    "verdicts": ORGANIZERS,
}
WHO_ELSE = {
    "POST /api/campaigns/": "users who may create campaigns",
    "PATCH /api/campaigns/{slug}/": ORGANIZERS,
    "POST /api/campaigns/{slug}/close-submissions/": ORGANIZERS,
    "POST /api/campaigns/{slug}/visibility/": ORGANIZERS,
    "POST /api/topics/import/": ORGANIZERS,
    "POST /api/documents/import/": ORGANIZERS,
    "GET /api/judgments/": "organizers; assessors for their own",
    "POST /api/score-sets/evaluate/": ORGANIZERS,
    "POST /api/score-sets/{id}/release/": ORGANIZERS,
}
CAMPAIGN = "my-campaign"
EXAMPLES: dict[str, Any] = {
    "campaign": CAMPAIGN,
    "topic": "1",
    "docno": "doc-17",
    "client_uuid": "5e0c3a52-7f43-4c1e-9a57-0d1f6c6b8f11",
    "grade": 2,
    "depth": 10,
    "runs": [1, 2, 3],
    "qrels": 1,
    "title": "My campaign",
    "grades": [
        {"value": 0, "label": "not relevant", "key": "0", "gain": 0},
        {"value": 1, "label": "relevant", "key": "1", "gain": 1},
    ],
}
# The description of an endpoint without one in its code, by the end of its operation name.
PLAIN = {
    "list": "List the objects visible to you, one page at a time.",
    "retrieve": "Get one object.",
    "create": "Create an object.",
    "partial_update": "Change the fields in the request.",
    "withdraw_create": "Withdraw an accepted run before the deadline; its record stays.",
}
EXAMPLES_BY_KIND = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}


@dataclass(frozen=True)
class EndpointField:
    """A parameter, or a field of a body. ``where`` is path, query or body."""

    name: str
    where: str
    kind: str
    required: bool
    text: str


@dataclass(frozen=True)
class Endpoint:
    method: str
    path: str
    group: str
    anchor: str
    text: str
    who: str
    fields: tuple[EndpointField, ...]
    answers: tuple[str, ...]
    curl: str


@login_not_required
@require_safe
def api_docs_view(request: HttpRequest) -> HttpResponse:
    groups: dict[str, list[Endpoint]] = {}
    for endpoint in list_endpoints():
        groups.setdefault(endpoint.group, []).append(endpoint)
    context = {"groups": groups.items(), "count": len(list_endpoints())}
    return render(request, "workbench/api_docs.html", context)


@lru_cache(maxsize=1)
def list_endpoints() -> tuple[Endpoint, ...]:
    """Every endpoint, in the order of a campaign's life."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    order = list(WHO)
    endpoints = read_endpoints(schema)
    return tuple(sorted(endpoints, key=lambda endpoint: order.index(endpoint.group)))


def read_endpoints(schema: Mapping[str, Any]) -> Iterator[Endpoint]:
    parts = schema["components"]["schemas"]
    for path, methods in schema["paths"].items():
        group = path.split("/")[2]
        for method in (verb for verb in METHODS if verb in methods and group in WHO):
            operation = methods[method]
            media, body = request_body(operation, parts)
            fields = (*iter_parameters(operation), *body_fields(body, parts))
            name = f"{method.upper()} {path}"
            yield Endpoint(
                method=method.upper(),
                path=path,
                group=group,
                anchor=operation["operationId"],
                text=operation_text(operation),
                who=WHO_ELSE.get(name, WHO[group]),
                fields=fields,
                answers=tuple(iter_response_codes(operation)),
                curl=curl_example(method, path, media, fields),
            )


def operation_text(operation: Mapping[str, Any]) -> str:
    name = operation["operationId"]
    plain = [text for end, text in PLAIN.items() if name.endswith(end)]
    return operation.get("description") or (plain[-1] if plain else "")


def iter_parameters(operation: Mapping[str, Any]) -> Iterator[EndpointField]:
    for parameter in operation.get("parameters", ()):
        kind = schema_type(parameter["schema"], {})
        required, text = parameter.get("required", False), parameter.get("description", "")
        yield EndpointField(parameter["name"], parameter["in"], kind, required, text)


def request_body(operation: Mapping[str, Any], parts: Mapping[str, Any]) -> tuple[str, Any]:
    """The media type of the body, JSON first, and its schema; empty without a body."""
    content = operation.get("requestBody", {}).get("content", {})
    media = next((name for name in (JSON, MULTIPART) if name in content), "")
    return media, resolve_reference(content[media]["schema"], parts) if media else {}


def body_fields(body: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[EndpointField]:
    required = body.get("required", ())
    for name, field in body.get("properties", {}).items():
        if not field.get("readOnly"):
            text = field.get("description", "")
            yield EndpointField(name, "body", schema_type(field, parts), name in required, text)


def resolve_reference(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    """``schema``, or the schema that it refers to."""
    if "$ref" in schema:
        return resolve_reference(parts[schema["$ref"].rsplit("/", 1)[1]], parts)
    return schema


def schema_type(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    """The type in one or two words."""
    for combined in ("allOf", "oneOf"):
        if combined in schema:
            return schema_type(schema[combined][0], parts)
    schema = resolve_reference(schema, parts)
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"] if value not in ("", None))
    if schema.get("type") == "array":
        return f"list of {schema_type(schema['items'], parts)}"
    if schema.get("format") == "binary":
        return "file"
    return str(schema.get("format") or schema.get("type", "object"))


def iter_response_codes(operation: Mapping[str, Any]) -> Iterator[str]:
    for status, answer in operation["responses"].items():
        media = ", ".join(answer.get("content", {}))
        yield f"{status} {media}".strip()


def curl_example(method: str, path: str, media: str, fields: tuple[EndpointField, ...]) -> str:
    """A command for a shell with ``$HOST`` and ``$TOKEN``."""
    url = path.replace("{id}", "1").replace("{slug}", CAMPAIGN)
    is_object = "{" in path or ("campaign", "query") not in field_names(fields)
    query = "" if is_object else f"?campaign={CAMPAIGN}"
    required = [field for field in fields if field.where == "body" and field.required]
    media = media if required or method != "post" else ""
    lines = ['curl -H "Authorization: Token $TOKEN"']
    lines += [f"-X {method.upper()}"] if method not in ("get", "post") or not media else []
    lines = lines[:1] if method == "get" else lines
    if media == MULTIPART:
        lines += [f"-F {field.name}={form_value(field)}" for field in required]
    elif media:
        body = json.dumps(
            {field.name: example_value(field) for field in required} or {"title": "New"}
        )
        lines += [f"-H 'Content-Type: {JSON}'", f"-d {shlex.quote(body)}"]
    return " \\\n  ".join([*lines, f'"$HOST{url}{query if method == "get" else ""}"'])


def field_names(fields: tuple[EndpointField, ...]) -> set[tuple[str, str]]:
    return {(field.name, field.where) for field in fields}


def form_value(field: EndpointField) -> str:
    return "@FILE" if field.kind == "file" else str(example_value(field))


def example_value(field: EndpointField) -> Any:
    if field.name in EXAMPLES:
        return EXAMPLES[field.name]
    return EXAMPLES_BY_KIND.get(field.kind, field.kind.split(" | ")[0])
