"""Grade keys never collide with the keys of the judging screen, which are listed once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from campaigns.api.resources import CampaignViewSet
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Grade
from campaigns.services.campaigns import create_campaign, get_grade_scale, update_campaign
from judging.rules import KEY_HELP
from judging.views.judging_screen import FLAG_KEYS, SKIP_KEYS
from poolbench.files.faults import InvalidFile
from poolbench.judging.scale import SCREEN_KEYS, GradeSpec
from poolbench.replay.manifest import read_manifest
from tests.replay.test_manifest import GOOD

ROOT = Path(settings.BASE_DIR)
LATER_KEYS = frozenset("vqe")
"""Keys that are reserved for functions which the screen does not have yet."""
IN_TEMPLATES = re.compile(r"""data-key="(.)"|\{% screen_key "(.)" %\}|<kbd>(.)</kbd>""")
IN_COMMANDS = re.compile(r"""^\s+(?:"(?:Shift\+)?(.)"|(\w)): \(\) =>""", re.MULTILINE)


def test_the_list_is_what_pages_and_scripts_use():
    found = {*SKIP_KEYS.values(), *FLAG_KEYS.values()}
    for page in (ROOT / "templates/judging").glob("*.html"):
        found |= {"".join(groups) for groups in IN_TEMPLATES.findall(page.read_text())}
    script = (ROOT / "static/js/judge.js").read_text()
    commands = script.split("const commands = {")[1].split("};")[0]
    used = {"".join(groups) for groups in IN_COMMANDS.findall(commands)}
    assert used == {"n", "h", "p", "/", "z", "t", "w"}
    assert {key.lower() for key in found | used} == SCREEN_KEYS.keys() - LATER_KEYS
    # The help names every key but those of flags and reasons, which it lists with their labels,
    # and the link of a meeting.
    helped = {key.lower() for keys in KEY_HELP for key in keys}
    assert helped == SCREEN_KEYS.keys() - LATER_KEYS - {*SKIP_KEYS.values(), "j"}


LETTERS = sorted(key for key in SCREEN_KEYS if key.isalnum())


@pytest.mark.parametrize("key", [*LETTERS, "N", "G"])
def test_a_key_of_the_screen_is_refused_with_the_list(organizer, key):
    scale = (GradeSpec(0, "no", "0", 0), GradeSpec(1, "yes", key, 1))
    with pytest.raises(ActionRefused) as refused:
        create_campaign(actor=organizer, title="T", scale=scale)
    assert refused.value.code == "bad-scale"
    uses = "u z s c f b l d o p n h t g w j / ? v q e"
    assert refused.value.message == (
        f"Key {key.lower()} belongs to the judging screen, which uses {uses}."
    )


def test_the_api_the_form_and_the_manifest_refuse_it_too(
    campaign,
    organizer,
    as_user,
    call,
    tmp_path,
):
    grades = [
        {"value": 0, "label": "no", "key": "n", "gain": 0},
        {"value": 1, "label": "yes", "key": "y", "gain": 1},
    ]
    asked = {"title": "T", "grades": grades}
    status, told = call(CampaignViewSet, organizer, "create", "post", asked)
    assert (status, "Key n belongs to the judging screen" in str(told)) == (409, True)
    rows = {"scale-TOTAL_FORMS": 2, "scale-INITIAL_FORMS": 0}
    for at, grade in enumerate(grades):
        rows |= {f"scale-{at}-{name}": value for name, value in grade.items()}
    fields = {"title": "T", "relevance_level": 1, "max_docs_per_topic": 10, "board": "own",
              "test": "t", "correction": "holm", "alpha": 0.05, "slug": ""}  # fmt: skip
    page = as_user(organizer).post(reverse("campaign-new"), fields | rows).content.decode()
    assert "Key n belongs to the judging screen" in page
    manifest = tmp_path / "campaign.yaml"
    manifest.write_text(GOOD.replace('key: "0"', 'key: "n"'))
    with pytest.raises(InvalidFile) as invalid:
        read_manifest(tmp_path)
    fault = next(f for f in invalid.value.report.faults if "judging screen" in f.message)
    assert (fault.code, fault.line) == ("EM03", 4)


@pytest.fixture
def older(campaign) -> Campaign:
    """A campaign whose grades 1 and 2 were given keys before they were reserved."""
    for value, key in ((1, "b"), (2, "n")):
        Grade.objects.filter(campaign=campaign, value=value).update(key=key)
    return Campaign.objects.get(pk=campaign.pk)


def test_an_older_campaign_keeps_its_keys_and_can_change_them(
    plan, older, organizer, assessor, grade, as_user
):
    grade(assessor, "d1", 1)
    update_campaign(actor=organizer, campaign=older, title="Other")
    client = as_user(organizer)
    told = client.get(reverse("judging", args=["small"])).content.decode()
    assert "Grade keys that the judging screen uses itself: b n." in told
    settings_url = reverse("campaign-settings", args=["small"])
    assert "Key b, n belong to the judging screen" in client.get(settings_url).content.decode()
    scale = get_grade_scale(older)
    other = [GradeSpec(**(vars(step) | {"key": str(step.value)})) for step in scale]
    added = [*other[:3], GradeSpec(9, "x", "9", 1)]
    with pytest.raises(ActionRefused) as refused:
        update_campaign(actor=organizer, campaign=older, scale=added)
    assert refused.value.code == "scale-in-use"
    update_campaign(actor=organizer, campaign=older, scale=other)
    assert get_grade_scale(older) == tuple(other)
    assert "Grade keys" not in client.get(reverse("judging", args=["small"])).content.decode()


def test_the_screen_strikes_out_a_key_that_a_grade_has(plan, older, assessor, as_user):
    page = as_user(assessor).get(reverse("judge", args=["small", "1"])).content.decode()
    assert page.count("<s>b</s>") == 2  # At the flag and in the help.
    assert page.count("<s>n</s>") == 1
    assert "This key assigns a grade." in page
