"""Signed links: what is signed, and what is refused."""

import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from poolbench.crowd.providers.base import (
    SKEW_SECONDS,
    Arrival,
    ArrivalKeys,
    ArrivalRefused,
    check_return_template,
    fill_return_template,
    find_setting_faults,
    parse_link_query,
)
from poolbench.crowd.providers.generic import PROVIDER
from poolbench.crowd.providers.signed_links import build_signed_text, sign_link
from tests.examples import examples

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SCOPE = "/w/robust/7/"
KEYS = ArrivalKeys(SCOPE, {"k1": "secret one", "k2": "secret two"}, frozenset({"k0"}))
LINK = {
    "wid": "p 17".replace(" ", "_"),
    "uid": "s/9",
    "exp": str(int((NOW + timedelta(hours=1)).timestamp())),
    "kid": "k1",
}


def signed(fields=LINK, by="secret one", scope=SCOPE, **changes):
    fields = {**fields, **changes}
    return {**fields, "sig": sign_link(by, scope, fields)}


def arrive(query, now=NOW, keys=KEYS):
    return PROVIDER.read_arrival(query, keys, {}, now)


def refusal(query, **kwargs):
    with pytest.raises(ArrivalRefused) as caught:
        arrive(query, **kwargs)
    return caught.value.code


def test_the_signature_of_the_documentation():
    """The worked example of docs/crowd-providers.md, whose signature openssl computed."""
    fields = {"wid": "p17", "uid": "s9", "exp": "1795348800", "kid": "k1a2b3c4d"}
    text = "/w/robust/7/?exp=1795348800&kid=k1a2b3c4d&uid=s9&wid=p17"
    assert build_signed_text(SCOPE, fields) == text
    assert sign_link("correct-horse", SCOPE, fields) == (
        "f17eff641be46e840c858cdebd193988817b40e286b3848097534163f1e47453"
    )


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_openssl_signs_the_same():
    fields = {**LINK, "wid": "ä b&c=d/é~"}
    text = build_signed_text(SCOPE, fields)
    command = ["openssl", "dgst", "-sha256", "-hmac", "secret one"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    assert done.stdout.decode().strip().endswith(sign_link("secret one", SCOPE, fields))


def test_a_signed_link_says_who_comes_for_which_unit():
    assert arrive(signed()) == Arrival("p_17", "s/9")
    assert arrive(signed(by="secret two", kid="k2")) == Arrival("p_17", "s/9")


def test_a_preview_has_no_worker_and_no_unit():
    assert arrive(signed(mode="preview")) == Arrival("", "", preview=True)
    bare = {"exp": LINK["exp"], "kid": "k1", "mode": "preview"}
    assert arrive(signed(bare)) == Arrival("", "", preview=True)


@pytest.mark.parametrize(("change", "code"), [
    ({"kid": "k0"}, "retired-key"), ({"kid": "k9"}, "unknown-key"), ({"kid": ""}, "unknown-key"),
    ({"exp": "tomorrow"}, "bad-link"), ({"exp": "-5"}, "bad-link"), ({"exp": "1" * 13}, "bad-link"),
    ({"exp": "١٢٣"}, "bad-link"), ({"mode": "admin"}, "bad-link"), ({"wid": ""}, "bad-link"),
    ({"wid": "a b"}, "bad-link"), ({"wid": "x" * 201}, "bad-link"), ({"uid": "\n"}, "bad-link"),
    ({"return": "https://evil.example/"}, "bad-link"),
])  # fmt: skip
def test_what_a_link_may_not_say_even_if_it_is_signed(change, code):
    assert refusal(signed(**change)) == code


@pytest.mark.parametrize("name", [*LINK, "sig"])
def test_a_link_without_one_of_its_parameters_is_refused(name):
    query = signed()
    del query[name]
    assert refusal(query) == ("unknown-key" if name == "kid" else "bad-signature")


@examples(100)
@given(name=st.sampled_from([*LINK, "sig", "mode"]), value=st.text(max_size=80))
def test_any_changed_parameter_is_refused(name, value):
    query = signed()
    assume(query.get(name) != value)
    assert refusal({**query, name: value}) in ("bad-signature", "unknown-key", "retired-key")


@examples(100)
@given(at=st.integers(0, 63), digit=st.sampled_from("0123456789abcdefABCDEF"))
def test_any_changed_digit_of_the_signature_is_refused(at, digit):
    query = signed()
    changed = query["sig"][:at] + digit + query["sig"][at + 1 :]
    assume(changed != query["sig"])
    assert refusal({**query, "sig": changed}) == "bad-signature"


def test_a_link_of_another_study_is_refused():
    assert refusal(signed(scope="/w/robust/8/")) == "bad-signature"
    assert refusal(signed(by="secret two")) == "bad-signature"


@pytest.mark.parametrize(("late", "is_open"), [(0, True), (SKEW_SECONDS, True),
                                               (SKEW_SECONDS + 1, False)])  # fmt: skip
def test_a_link_expires_with_an_allowance_for_clocks(late, is_open):
    query = signed()
    now = datetime.fromtimestamp(int(LINK["exp"]) + late, UTC)
    if is_open:
        assert arrive(query, now=now).worker == "p_17"
    else:
        assert refusal(query, now=now) == "expired-link"


@pytest.mark.parametrize(
    "text", ["wid=a&wid=b", "wid=a&wid=a", "a=%ff", "a=" + "x" * 9000, "&".join("abc" * 60)]
)
def test_a_query_that_can_be_read_in_two_ways_is_refused(text):
    with pytest.raises(ArrivalRefused) as caught:
        parse_link_query(text)
    assert caught.value.code == "bad-link"


def test_a_query_is_read_once_decoded():
    assert parse_link_query("wid=a%20b+c&uid=") == {"wid": "a b c", "uid": ""}


@pytest.mark.parametrize("template", [
    "https://panel.example/done?code={code}&id={uid}", "https://panel.example:8443/{uid}",
    "http://127.0.0.1:8000/x",
])  # fmt: skip
def test_return_addresses_that_are_allowed(template):
    assert check_return_template(template) == ""


@pytest.mark.parametrize("template", [
    "http://panel.example/", "//panel.example/", "javascript:alert(1)", "https://{uid}.example/",
    "https://panel.example@evil.example/", "https://panel.example/{wid}", "https://panel.example/{",
    "https://panel.example/{code.x}", "https://panel.example/ x",
    "https://panel.example\\@evil.example/", "https:///x",
])  # fmt: skip
def test_return_addresses_that_are_refused(template):
    assert check_return_template(template)
    with pytest.raises(ValueError, match=r"\."):
        fill_return_template(template, {})
    assert find_setting_faults(PROVIDER, {"return_url": template}).keys() == {"return_url"}


@examples(100)
@given(code=st.text(max_size=40), uid=st.text(max_size=40))
def test_no_value_leaves_its_place_in_the_return_address(code, uid):
    assume(all(not 0xD800 <= ord(sign) <= 0xDFFF for sign in code + uid))
    url = fill_return_template("https://panel.example/{uid}?c={code}#x", {"code": code, "uid": uid})
    head, _, rest = url.removeprefix("https://panel.example/").partition("?c=")
    assert url.startswith("https://panel.example/")
    assert "/" not in head + rest
    assert rest.endswith("#x")
    assert rest.count("#") == 1
    assert "&" not in rest


def test_the_return_of_each_outcome():
    settings = {"return_url": "https://panel.example/?c={code}&u={uid}", "code_screened": "OUT"}
    forms = {
        outcome: PROVIDER.make_return(settings, outcome, {"unit": "s/9", "receipt": "r"})
        for outcome in ("completed", "screened", "failed")
    }
    assert {name: (form.method, form.url, form.fields) for name, form in forms.items()} == {
        "completed": ("get", "https://panel.example/?c=completed&u=s%2F9", {}),
        "screened": ("get", "https://panel.example/?c=OUT&u=s%2F9", {}),
        "failed": ("get", "https://panel.example/?c=failed&u=s%2F9", {}),
    }
    assert PROVIDER.make_return({}, "completed", {"unit": "s", "receipt": "r"}) is None
