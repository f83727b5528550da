"""Acting through a confirmation page or the API."""

import re
from html import unescape

from rest_framework.test import APIClient, APIRequestFactory, force_authenticate

from tests.pages import read_page


def api(user: object) -> APIClient:
    """A client of the API, signed in as ``user``."""
    client = APIClient()
    client.force_authenticate(user)
    return client


def call_view(view_set: type, user: object, action: str, method: str = "get", data=None, **route):
    """The answer of one action of the API, without any router between."""
    request = getattr(APIRequestFactory(), method)("/", data, format="json")
    force_authenticate(request, user=user)
    answer = view_set.as_view({method: action})(request, **route)
    return answer.render() if hasattr(answer, "render") else answer


def read_confirmation(answer: object) -> dict[str, object]:
    """The form of a confirmation page: all of its fields, with every box ticked."""
    text = read_page(answer)
    form = text[text.index('<form class="decision"') :]
    form = form[: form.index("</form>")]
    fields: dict[str, object] = {"confirm": []}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = (re.search(rf'{key}="([^"]*)"', tag) for key in ("name", "value"))
        if value is None:  # what is to be typed
            fields["confirm"].append(re.search(r'id="confirm-([^"]*)"', tag)[1])
        elif name[1].startswith("confirm"):  # also the radio buttons, as if all were ticked
            fields["confirm"].append(unescape(value[1]))
        elif name[1] == "run":
            fields.setdefault("run", []).append(value[1])
        elif name[1] != "csrfmiddlewaretoken":
            fields[name[1]] = unescape(value[1])
    return fields


def confirm(client, url: str, data: dict[str, object] | None = None, **changes: object):
    """Act through the confirmation page: open it, tick every box, send its form.

    ``data`` opens the page by POST; ``changes`` are other values of its form, e.g. ``confirm=[]``.
    """
    shown = client.get(url) if data is None else client.post(url, data)
    assert shown.status_code == 200, shown.status_code
    return client.post(url, read_confirmation(shown) | changes)
