"""Prolific: signed tokens, unsigned parameters, completion codes, webhooks."""

import base64
import hmac
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import assume, given
from hypothesis import strategies as st

from poolbench.crowd.providers.base import (
    SKEW_SECONDS,
    Arrival,
    ArrivalKeys,
    ArrivalRefused,
    find_setting_faults,
)
from poolbench.crowd.providers.key_sets import check_key_set, parse_key_set
from poolbench.crowd.providers.prolific import PROVIDER, is_webhook_valid

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
UNSIGNED = {"PROLIFIC_PID": "pp1", "STUDY_ID": "st1", "SESSION_ID": "ss1"}
SETTINGS = {"audience": "pool.example", "key_set_url": "https://x.example/jwks", "code_completed":
            "C1", "code_screened": "C2", "code_failed": "C3", "external_study": "st1"}  # fmt: skip
IDS = {"participant_id": "pp1", "study_id": "st1", "session_id": "ss1", "workspace_id": "w1"}
CLAIMS = {
    "aud": "pool.example",
    "exp": int((NOW + timedelta(minutes=10)).timestamp()),
    "prolific": IDS,
}


def key(name, bits=2048):
    return generate_key(name, bits)


@cache
def generate_key(_name, bits):
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def public(name, bits=2048, **fields):
    data = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key(name, bits).public_key()))
    return {**data, "kid": name, "use": "sig", "alg": "RS256", **fields}


def key_set(*names):
    return {"keys": [public(name) for name in names]}


def token(claims=CLAIMS, name="one", algorithm="RS256", signer=None, **headers):
    signer = key(name) if signer is None else signer
    return jwt.encode(claims, signer, algorithm=algorithm, headers={"kid": name, **headers})


def arrive(query, settings=SETTINGS, now=NOW, names=("one", "two")):
    keys = ArrivalKeys("/w/robust/7/", key_set=key_set(*names))
    return PROVIDER.read_arrival(query, keys, settings, now)


def refusal(query, *args, **kwargs):
    with pytest.raises(ArrivalRefused) as caught:
        arrive(query, *args, **kwargs)
    return caught.value.code


def test_a_token_says_who_comes_for_which_session():
    expected = Arrival("pp1", "ss1", fields={"study": "st1"})
    assert arrive({"prolific_token": token()}) == expected
    assert arrive({"prolific_token": token(name="two")}) == expected
    several = token({**CLAIMS, "aud": ["other.example", "pool.example"]})
    assert arrive({"prolific_token": several}) == expected


def test_names_of_claims_and_parameter_are_settings():
    settings = {**SETTINGS, "token_parameter": "t", "claim_worker": "sub", "claim_unit": "sid",
                "claim_study": "study"}  # fmt: skip
    flat = {"aud": "pool.example", "exp": CLAIMS["exp"], "sub": "a", "sid": "b", "study": "st1"}
    assert arrive({"t": token(flat)}, settings).worker == "a"
    assert arrive({"t": token(flat)}, settings).unit == "b"


@pytest.mark.parametrize(("change", "code"), [
    ({"aud": "other.example"}, "wrong-audience"), ({"aud": None}, "bad-signature"),
    ({"exp": int(NOW.timestamp()) - SKEW_SECONDS - 1}, "expired-link"),
    ({"exp": "soon"}, "bad-signature"), ({"exp": True}, "bad-signature"),
    ({"nbf": int(NOW.timestamp()) + SKEW_SECONDS + 1}, "bad-signature"),
    ({"prolific": "pp1"}, "bad-link"), ({"prolific": {**IDS, "participant_id": ""}}, "bad-link"),
    ({"prolific": {**IDS, "session_id": 5}}, "bad-link"),
    ({"prolific": {**IDS, "study_id": "st2"}}, "wrong-study"),
])  # fmt: skip
def test_what_a_token_may_not_say_even_if_it_is_signed(change, code):
    assert refusal({"prolific_token": token({**CLAIMS, **change})}) == code


@pytest.mark.parametrize("name", ["aud", "exp"])
def test_required_claims(name):
    claims = {key: value for key, value in CLAIMS.items() if key != name}
    assert refusal({"prolific_token": token(claims)}) in ("bad-signature", "wrong-audience")


def test_clocks_may_differ():
    claims = {**CLAIMS, "exp": int(NOW.timestamp()) - SKEW_SECONDS,
              "nbf": int(NOW.timestamp()) + SKEW_SECONDS}  # fmt: skip
    assert arrive({"prolific_token": token(claims)}).worker == "pp1"


def forge(header, claims=CLAIMS, sign=lambda _text: b""):
    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    text = encode(json.dumps(header).encode()) + b"." + encode(json.dumps(claims).encode())
    return (text + b"." + encode(sign(text))).decode()


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", ""])
def test_a_token_without_a_signature_is_refused(algorithm):
    assert refusal({"prolific_token": forge({"alg": algorithm, "kid": "one"})}) == "bad-signature"


def test_the_public_key_as_a_secret_signs_nothing():
    public_key = key("one").public_key()
    pem = public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "kid": "one", "typ": "JWT"}
    bad = forge(header, sign=lambda text: hmac.new(pem, text, sha256).digest())
    assert refusal({"prolific_token": bad}) == "bad-signature"


@pytest.mark.parametrize("algorithm", ["RS512", "PS256"])
def test_no_other_algorithm_is_accepted(algorithm):
    assert refusal({"prolific_token": token(algorithm=algorithm)}) == "bad-signature"


def test_the_key_is_the_one_that_the_header_names():
    assert refusal({"prolific_token": token(name="three")}) == "unknown-key"
    assert refusal({"prolific_token": token(signer=key("two"))}) == "bad-signature"
    assert refusal({"prolific_token": token()}, names=("two",)) == "unknown-key"


def test_keys_in_the_header_of_a_token_are_not_looked_at():
    own = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key("evil").public_key()))
    bad = token(signer=key("evil"), jwk=own, jku="https://evil.example/jwks")
    assert refusal({"prolific_token": bad}) == "bad-signature"


def test_a_short_key_signs_nothing():
    keys = ArrivalKeys("/", key_set={"keys": [public("short", 1024)]})
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        bad = token(name="short", signer=key("short", 1024))
    with pytest.raises(ArrivalRefused) as caught:
        PROVIDER.read_arrival({"prolific_token": bad}, keys, SETTINGS, NOW)
    assert caught.value.code == "bad-signature"


@given(at=st.integers(0, 700), sign=st.sampled_from("ABCxyz019-_."))
def test_any_changed_character_of_the_token_is_refused(at, sign):
    good = fixed_token()
    at %= len(good)
    bad = good[:at] + sign + good[at + 1 :]
    assume(bad != good)
    # The last character of base64 has bits that say nothing.
    assume(at != len(good) - 1)
    assert refusal({"prolific_token": bad}) in ("bad-signature", "unknown-key")


@cache
def fixed_token():
    return token()


@pytest.mark.parametrize("name", UNSIGNED)
def test_parameters_beside_a_token_must_say_the_same(name):
    assert arrive({"prolific_token": token(), **UNSIGNED}).worker == "pp1"
    assert refusal({"prolific_token": token(), **UNSIGNED, name: "x"}) == "bad-signature"


def test_unsigned_parameters_only_where_they_are_switched_on():
    assert refusal(UNSIGNED) == "not-signed"
    settings = {**SETTINGS, "unsigned": True}
    assert arrive(UNSIGNED, settings) == Arrival("pp1", "ss1", fields={"study": "st1"})
    assert refusal({**UNSIGNED, "STUDY_ID": "st2"}, settings) == "wrong-study"
    for name in ("PROLIFIC_PID", "SESSION_ID"):
        assert refusal({**UNSIGNED, name: ""}, settings) == "bad-link"
        assert refusal({**UNSIGNED, name: "a b"}, settings) == "bad-link"
        for text in ("=1+1", "@a", "a,b"):
            assert refusal({**UNSIGNED, name: text}, settings) == "bad-link"


def test_a_bad_token_does_not_fall_back_to_unsigned_parameters():
    settings = {**SETTINGS, "unsigned": True}
    assert refusal({**UNSIGNED, "prolific_token": "x"}, settings) == "bad-signature"


def test_a_token_opens_only_the_study_of_the_settings():
    without = {**SETTINGS, "external_study": ""}
    assert refusal({"prolific_token": token()}, without) == "wrong-study"
    both = {**without, "unsigned": "on"}
    assert refusal({"prolific_token": token()}, both) == "wrong-study"


def test_the_return_of_each_outcome():
    url = "https://app.prolific.com/submissions/complete?cc="
    fields = {"unit": "ss1", "receipt": "r"}
    made = {name: PROVIDER.make_return(SETTINGS, name, fields).url
            for name in ("completed", "screened", "failed")}  # fmt: skip
    assert made == {"completed": url + "C1", "screened": url + "C2", "failed": url + "C3"}
    assert PROVIDER.make_return({"code_completed": "C1"}, "failed", fields) is None


@pytest.mark.parametrize(("change", "faults"), [
    ({}, set()), ({"audience": ""}, {"audience"}), ({"external_study": ""}, {"external_study"}),
    ({"external_study": "", "key_set_url": "", "unsigned": "on"}, set()),
    ({"key_set_url": ""}, {"key_set_url"}), ({"key_set_url": "", "unsigned": "on"}, set()),
    ({"key_set_url": "http://x.example"}, {"key_set_url"}),
    ({"code_completed": ""}, {"code_completed"}), ({"code_failed": "C1"}, {"code_completed"}),
    ({"code_failed": "C 1"}, {"code_failed"}), ({"key_set": "{}"}, {"key_set"}),
    ({"key_set": json.dumps({"keys": [{"kty": "RSA", "kid": "k", "n": "1", "e": "AQAB"}]})}, set()),
])  # fmt: skip
def test_faults_of_settings(change, faults):
    assert find_setting_faults(PROVIDER, {**SETTINGS, **change}).keys() == faults


@pytest.mark.parametrize("text", [
    "", "[]", '{"keys": 1}', '{"keys": []}', '{"keys": ["x"]}', "x" * 100_001,
    json.dumps({"keys": [{"kty": "EC", "kid": "a"}]}),
    json.dumps({"keys": [{"kty": "RSA", "kid": "a", "use": "enc"}]}),
    json.dumps({"keys": [{"kty": "RSA", "kid": "a", "d": "private"}]}),
])  # fmt: skip
def test_key_sets_that_are_refused(text):
    assert check_key_set(text)


def test_a_key_set_is_read():
    assert parse_key_set(json.dumps({**key_set("one"), "more": 1})) == key_set("one")


BODY = b'{"event_type": "submission.status.change"}'
STAMP = str(int(NOW.timestamp()))


def hook(by="s", stamp=STAMP, body=BODY):
    """As docs.prolific.com describes it: base64 of the HMAC of timestamp and body."""
    digest = hmac.new(by.encode(), stamp.encode() + body, sha256).digest()
    return base64.b64encode(digest).decode()


def test_a_webhook_is_signed_over_time_and_body():
    assert is_webhook_valid("s", STAMP, hook(), BODY, NOW)
    assert not is_webhook_valid("t", STAMP, hook(), BODY, NOW)
    assert not is_webhook_valid("s", STAMP, hook(), BODY + b" ", NOW)
    assert not is_webhook_valid("s", str(int(STAMP) + 1), hook(), BODY, NOW)
    assert not is_webhook_valid("", STAMP, hook(""), BODY, NOW)
    assert not is_webhook_valid("s", "now", hook(stamp="now"), BODY, NOW)
    assert not is_webhook_valid("s", STAMP, "ä", BODY, NOW)


@pytest.mark.parametrize(("seconds", "valid"), [(0, True), (300, True), (-300, True),
                                                (301, False), (-301, False)])  # fmt: skip
def test_a_webhook_is_replayed_only_for_five_minutes(seconds, valid):
    now = NOW + timedelta(seconds=seconds)
    assert is_webhook_valid("s", STAMP, hook(), BODY, now) is valid
