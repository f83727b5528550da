"""Requests: their charset, whose they are, how large they may be, and who may store the answer."""

import math
import re
from collections.abc import Callable
from io import BytesIO
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from campaigns.api.authentication import read_token_key
from campaigns.api.limits import UploadThrottle
from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.services.tokens import find_token

TAKE_FILES = frozenset(
    {
        "api-data-file-list",
        "api-document-import",
        "api-run-list",
        "api-topic-import",
        "data-file-edit",
        "data-file-new",
        "documents-import",
        "judgments-import",
        "run-upload",
        "topics-import",
    }
)
"""Names of the URLs that take files as large as ``POOLBENCH_MAX_UPLOAD_BYTES``. Others that take
a file, such as a pool spec, have enough with the limit on bodies without files."""


BOUNDARY = re.compile(r';\s*boundary=(?:"[^"]*"|[^\s;"]+)', re.IGNORECASE)


class PlainRequest(WSGIRequest):
    """A request in UTF-8, whatever charset its header claims: some codecs take quadratic time, and
    Django reads the query with them before any middleware can refuse.
    """

    def __init__(self, environ: dict[str, Any]) -> None:
        claimed = environ.get("CONTENT_TYPE", "")
        boundary = BOUNDARY.search(claimed)
        environ["CONTENT_TYPE"] = claimed.partition(";")[0] + (boundary[0] if boundary else "")
        super().__init__(environ)


class PlainRequestHandler(WSGIHandler):
    request_class = PlainRequest


class Middleware:
    """Answers a request with what follows in the chain."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class ClientAddressMiddleware(Middleware):
    """Sets ``REMOTE_ADDR`` to the true address of the client behind ``POOLBENCH_PROXIES`` proxies.

    Everything else reads that: limits on sign-in and API, the sign-in log, the access log.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = find_client_address(
            request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.POOLBENCH_PROXIES
        )
        if address:
            request.META["REMOTE_ADDR"] = address
        return self.get_response(request)


def find_client_address(forwarded: str, proxies: int) -> str:
    """The address that the outermost of ``proxies`` proxies has seen; empty if there is none.

    Each proxy appends the address that it sees to ``X-Forwarded-For``, so only the last
    ``proxies`` addresses can be trusted: those before them are the client's own claim.
    """
    addresses = [text.strip() for text in forwarded.split(",")]
    if proxies < 1 or len(addresses) < proxies:
        return ""
    try:
        return str(ip_address(addresses[-proxies]))
    except ValueError:
        return ""


class BodyLimitMiddleware(Middleware):
    """Refuses bodies that are too large before anything reads them, with 413.

    Without a sign-in or token, ``POOLBENCH_ANONYMOUS_BODY_BYTES``; with one,
    ``DATA_UPLOAD_MAX_MEMORY_SIZE``, and ``POOLBENCH_MAX_UPLOAD_BYTES`` more where files are
    expected. The server never reads beyond ``Content-Length``; a body without one is read here,
    up to the smallest limit. Uploads per user are limited as well, with 429.
    """

    def process_view(self, request: HttpRequest, *_args: object) -> HttpResponse | None:
        """Runs before the CSRF check and the view, and when the session's user can be known."""
        if is_chunked(request) and not read_chunked_body(request):
            return too_large_response(request, settings.POOLBENCH_ANONYMOUS_BODY_BYTES)
        length, with_files = get_body_length(request), takes_files(request)
        if length <= settings.POOLBENCH_ANONYMOUS_BODY_BYTES and not with_files:
            return None
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        limit += settings.POOLBENCH_MAX_UPLOAD_BYTES if with_files else 0
        if length > limit:
            return too_large_response(request, limit)
        user = get_sender(request)
        if user is None:
            small = length <= settings.POOLBENCH_ANONYMOUS_BODY_BYTES
            return None if small else signed_out_response(request)
        throttle = UploadThrottle(user)
        if with_files and not throttle.allow_request(request, None):
            seconds = math.ceil(throttle.wait() or 1)
            message = _("Too many uploads: at most %(rate)s.") % {"rate": throttle.rate}
            fix = _("Try again in %(seconds)s seconds.") % {"seconds": seconds}
            answer = refusal_response(request, ActionRefused("too-many", message, fix), 429)
            answer["Retry-After"] = str(seconds)
            return answer
        return None


def get_body_length(request: HttpRequest) -> int:
    """The length that Django will believe."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def takes_files(request: HttpRequest) -> bool:
    match = request.resolver_match
    is_form = (request.content_type or "") == "multipart/form-data"
    return is_form and match is not None and match.url_name in TAKE_FILES


def get_sender(request: HttpRequest) -> User | None:
    """The user of the token or session, found without reading the body."""
    key = read_token_key(request.headers.get("Authorization", ""))
    if key:
        token = find_token(key)
        return token.user if token else None
    return request.user if isinstance(request.user, User) else None


def is_chunked(request: HttpRequest) -> bool:
    return "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH")


def read_chunked_body(request: HttpRequest) -> bool:
    """Read a body of unknown length, which Django would take as empty; False if it is too large.

    Servers that cannot tell where such a body ends do not say ``wsgi.input_terminated``.
    """
    if not request.META.get("wsgi.input_terminated"):
        return False
    limit = settings.POOLBENCH_ANONYMOUS_BODY_BYTES
    stream, body = request.META["wsgi.input"], b""
    try:
        while len(body) <= limit and (part := stream.read(limit + 1 - len(body))):
            body += part
    except Exception as error:  # every server has errors of its own
        raise BadRequest("The chunks of the body are malformed.") from error
    if len(body) > limit:
        return False
    request.META["CONTENT_LENGTH"] = str(len(body))
    request._stream = BytesIO(body)  # noqa: SLF001
    return True


def too_large_response(request: HttpRequest, limit: int) -> HttpResponse:
    if is_chunked(request):
        fix = _("Send the length of the request with it (header Content-Length).")
    else:
        fix = _("Send less at once, or compress the file with gzip.")
    message = _("The request is too large: at most %(limit)s bytes.") % {"limit": f"{limit:,}"}
    return refusal_response(request, ActionRefused("too-large", message, fix), 413)


def signed_out_response(request: HttpRequest) -> HttpResponse:
    """Programs get 401, so that they keep what they wanted to send and sign in again."""
    limit = settings.POOLBENCH_ANONYMOUS_BODY_BYTES
    message = _("You are not signed in, so requests may have at most %(limit)s bytes.")
    refused = ActionRefused(
        "signed-out", message % {"limit": f"{limit:,}"}, _("Sign in and send it again.")
    )
    return refusal_response(request, refused, 401 if is_program(request) else 413)


def refusal_response(request: HttpRequest, refused: ActionRefused, status: int) -> HttpResponse:
    """JSON for programs, otherwise a page."""
    if is_program(request):
        content = {"code": refused.code, "detail": refused.message, "fix": refused.fix}
        return JsonResponse(content, status=status)
    return render(request, "refused.html", {"refused": refused}, status=status)


def is_program(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/") or request.content_type == "application/json"


class NoStoreMiddleware(Middleware):
    """Forbids caches to store what a signed-in user gets, unless the view says otherwise."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.status_code >= 500:
            return answer  # says nothing personal, and the user may be in a database that is away
        if not answer.has_header("Cache-Control") and is_personal(request):
            patch_cache_control(answer, private=True, no_store=True)
        return answer


def is_personal(request: Any) -> bool:
    """Whether the answer may depend on the user: the session or a token was looked at.

    Asking for the user only then keeps public answers free of the session and the database.
    """
    looked_up = request.session.accessed or "Authorization" in request.headers
    return bool(looked_up and request.user.is_authenticated)
