"""The API documentation page, and what the schema says beyond the code: who may call."""

import json
from functools import cache
from typing import Any

from csp.decorators import csp_update
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

ORGANIZERS, MEMBERS = "organizers", "members of the campaign"
ASSESSORS = "assessors of the topic"
EVERYONE = "everyone, without a token"

# The roles that may call, by group of endpoints and, where it differs, by "METHOD path".
# The rules are those of the pages; an object that a user may not see is answered with 404.
WHO = {
    "campaigns": MEMBERS,
    "members": ORGANIZERS,
    "topics": MEMBERS,
    "tasks": MEMBERS,
    "documents": MEMBERS,
    "data-files": "everyone, without a token, for published files; members for theirs",
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
    "estimates": ORGANIZERS,
    "witnesses": ORGANIZERS,
}
WHO_ELSE = {
    "POST /api/campaigns/": "users who may create campaigns",
    "PATCH /api/campaigns/{slug}/": ORGANIZERS,
    "POST /api/campaigns/{slug}/close-submissions/": ORGANIZERS,
    "POST /api/campaigns/{slug}/visibility/": ORGANIZERS,
    "POST /api/topics/import/": ORGANIZERS,
    "POST /api/documents/import/": ORGANIZERS,
    "POST /api/tasks/": ORGANIZERS,
    "PATCH /api/tasks/{id}/": ORGANIZERS,
    "DELETE /api/tasks/{id}/": ORGANIZERS,
    "GET /api/judgments/": "organizers; assessors for their own",
    "POST /api/score-sets/evaluate/": ORGANIZERS,
    "POST /api/data-files/": ORGANIZERS,
    "POST /api/data-files/{id}/release/": ORGANIZERS,
    "POST /api/score-sets/{id}/publish/": ORGANIZERS,
    "POST /api/score-sets/{id}/release/": ORGANIZERS,
}
# The description of an endpoint without one in its code, by the end of its operation name.
PLAIN = {
    "list": "List the objects visible to you, one page at a time.",
    "retrieve": "Get one object.",
    "create": "Create an object.",
    "partial_update": "Change the fields in the request.",
    "withdraw_create": "Withdraw an accepted run before the deadline; its record stays.",
}
# Redoc adds an empty style element and fills it rule by rule: the hash is that of the empty text.
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


@login_not_required
@csp_update({"style-src": [EMPTY_STYLE]})  # type: ignore[untyped-decorator]
@require_safe
def api_docs_view(request: HttpRequest) -> HttpResponse:
    return render(request, "workbench/api_docs.html")


@login_not_required
@require_safe
def api_schema_view(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(write_schema("yaml"), content_type="application/vnd.oai.openapi")


@login_not_required
@require_safe
def api_schema_json_view(_request: HttpRequest) -> HttpResponse:
    content_type = "application/vnd.oai.openapi+json"
    return HttpResponse(write_schema("json"), content_type=content_type)


@cache
def write_schema(form: str) -> bytes:
    """The schema, which is the same for everybody, as ``yaml`` or ``json``: once per process."""
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema = generator.get_schema(request=None, public=True)
    if form == "json":
        return json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode()
    renderer: Any = OpenApiYamlRenderer()
    return bytes(renderer.render(schema))


def describe_operations(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """The schema with what each operation does and who may call it, in the order of a campaign's
    life; a hook of drf-spectacular.
    """
    result["tags"] = [{"name": group} for group in WHO]
    for path, methods in result["paths"].items():
        group = path.split("/")[2]
        for method, operation in methods.items():
            plain = [text for end, text in PLAIN.items() if operation["operationId"].endswith(end)]
            text = operation.get("description") or "".join(plain[-1:])
            operation["summary"] = text.split(". ")[0].split("\n\n")[0].rstrip(".")
            if who := WHO_ELSE.get(f"{method.upper()} {path}", WHO.get(group)):
                operation["description"] = f"{text}\n\nFor {who}."
    return result
