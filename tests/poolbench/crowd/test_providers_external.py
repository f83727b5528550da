"""External questions: unsigned IDs, previews, a form to a platform of the settings."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd.providers.base import Arrival, ArrivalKeys, ArrivalRefused, find_setting_faults
from poolbench.crowd.providers.external import PREVIEW, PROVIDER

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOST = "https://sandbox.example"
SETTINGS = {
    "platforms": f"live https://work.example/submit\n\nsandbox {HOST}/mturk/externalSubmit\n",
    "platform": "sandbox",
}
QUERY = {"assignmentId": "A1", "hitId": "H1", "workerId": "W1", "turkSubmitTo": HOST}


def arrive(**changes):
    return PROVIDER.read_arrival({**QUERY, **changes}, ArrivalKeys("/"), SETTINGS, NOW)


def refusal(**changes):
    with pytest.raises(ArrivalRefused) as caught:
        arrive(**changes)
    return caught.value.code


@pytest.mark.parametrize(("change", "arrival"), [
    ({}, Arrival("W1", "A1", fields={"hit": "H1"})),
    ({"turkSubmitTo": ""}, Arrival("W1", "A1", fields={"hit": "H1"})),
    # A preview has no worker, whatever the address says.
    ({"assignmentId": PREVIEW}, Arrival("", "", preview=True)),
    ({"assignmentId": PREVIEW, "workerId": ""}, Arrival("", "", preview=True)),
])  # fmt: skip
def test_ids_come_from_the_address(change, arrival):
    assert arrive(**change) == arrival


@pytest.mark.parametrize(("change", "code"), [
    ({"assignmentId": ""}, "bad-link"), ({"assignmentId": "a b"}, "bad-link"),
    ({"workerId": ""}, "bad-link"), ({"workerId": "x" * 201}, "bad-link"),
    # What separates the cells of a list.
    *(({name: text}, "bad-link") for name in ("workerId", "assignmentId")
      for text in ("W1,9.99", 'W"1')),
    ({"turkSubmitTo": "https://evil.example"}, "wrong-platform"),
    ({"turkSubmitTo": HOST + ".evil.example"}, "wrong-platform"),
    ({"turkSubmitTo": "https://sandbox.example@evil.example"}, "wrong-platform"),
    ({"turkSubmitTo": "http://sandbox.example"}, "wrong-platform"),
    ({"turkSubmitTo": "https://["}, "wrong-platform"),
])  # fmt: skip
def test_what_an_address_may_not_say(change, code):
    assert refusal(**change) == code


@given(st.text(max_size=60))
def test_the_form_goes_to_the_platform_of_the_settings_alone(target):
    """Whatever the address asked for, the form goes where the settings say, or nowhere."""
    with suppress(ArrivalRefused):
        arrive(turkSubmitTo=target)
    form = PROVIDER.make_return(SETTINGS, "completed", {"unit": "A1", "receipt": "r1"})
    assert (form.method, form.url) == ("post", f"{HOST}/mturk/externalSubmit")
    assert form.fields == {"assignmentId": "A1", "receipt": "r1"}
    assert form.origin == HOST


def test_frames_are_allowed_to_the_platform_alone():
    assert PROVIDER.list_frame_hosts(SETTINGS) == (HOST,)
    assert PROVIDER.list_frame_hosts({}) == ()


@pytest.mark.parametrize(("change", "faults"), [
    ({}, set()), ({"platform": "other"}, {"platform"}), ({"platform": ""}, {"platform"}),
    ({"platforms": ""}, {"platforms", "platform"}),
    ({"platforms": "sandbox http://x.example/"}, {"platforms"}),
    ({"platforms": "sandbox https://x.example/{code}"}, {"platforms"}),
    ({"platforms": "sandbox"}, {"platforms"}),
])  # fmt: skip
def test_faults_of_settings(change, faults):
    settings = {**SETTINGS, **change}
    assert find_setting_faults(PROVIDER, settings).keys() == faults
    if "platforms" in faults or "platform" in faults:
        assert PROVIDER.make_return(settings, "completed", {"unit": "A", "receipt": "r"}) is None
