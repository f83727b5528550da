"""The assessor's pages, through the test client."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from campaigns.api.resources import CampaignViewSet
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Grade
from campaigns.services.campaigns import create_campaign, get_grade_scale, update_campaign
from judging.models import Judgment, Slot
from judging.queries.judgments import current_judgments
from judging.rules import KEY_HELP
from judging.services.plans import close_plan, create_plan
from judging.services.qrels import freeze_qrels
from judging.views.judging_screen import FLAG_KEYS, SKIP_KEYS
from poolbench.files.faults import InvalidFile
from poolbench.judging.scale import SCREEN_KEYS, GradeSpec
from poolbench.replay.manifest import read_manifest
from tests.pages import read_page
from tests.refusals import refusal
from tests.replay.test_manifest import GOOD
from tests.world.files import make_pool


@pytest.fixture
def screen(as_user, assessor, campaign):
    """The client, signed in as ``assessor``."""
    return as_user(assessor)


@pytest.fixture
def url(campaign) -> str:
    return reverse("judge", args=[campaign.slug, "1"])


def field(page: str, name: str) -> str:
    return re.search(rf'name="{name}" value="([^"]*)"', page)[1]


def form_of(page: str, **more: object) -> dict[str, object]:
    return {name: field(page, name) for name in ("docno", "client_uuid", "token")} | more


def shown(page: str) -> str:
    return field(page, "docno")


def test_screen_judges_by_plain_posts_and_shows_the_next(plan, screen, url):
    first = read_page(screen.get(url))
    assert "The text of document 1." in first
    answer = screen.post(url, form_of(first, grade=2, comment="good"))
    assert (answer.status_code, answer.url) == (302, url)
    page = read_page(screen.get(url))
    assert shown(page) == "d2"
    assert "1 of 4" in page
    given = Judgment.objects.get()
    assert (given.grade, given.comment, given.source) == (2, "good", "screen")
    assert given.served_at is not None


def test_screen_takes_a_double_click_for_one_judgment(plan, screen, url):
    form = form_of(read_page(screen.get(url)), grade=2, active_seconds="3.5")
    assert screen.post(url, form).url == url
    assert screen.post(url, form).url == url
    assert shown(read_page(screen.get(url))) == "d2"
    assert Judgment.objects.get().active_seconds == 3.5


def test_screen_asks_again_when_an_old_form_says_something_else(plan, screen, url):
    form = form_of(read_page(screen.get(url)), grade=2)
    screen.post(url, form)
    answer = screen.post(url, {**form, "grade": 0})
    assert answer.url.startswith(reverse("judge-change", args=["small", "1"]))
    assert shown(read_page(screen.get(answer.url))) == "d1"
    assert 'aria-pressed="true"' in read_page(screen.get(answer.url))
    assert Judgment.objects.get().grade == 2


def test_screen_says_what_it_could_not_save(plan, screen, url):
    form = form_of(read_page(screen.get(url)), grade=9)
    text = read_page(screen.post(url, form, follow=True))
    assert "Not saved. Grade 9 is not on the grade scale." in text
    assert shown(text) == "d1"
    text = read_page(screen.post(url, {"docno": "d1"}, follow=True))
    assert "Not saved: the form was incomplete." in text
    assert not Judgment.objects.exists()


def test_screen_skips_with_a_reason_and_undoes(plan, screen, url):
    page = read_page(screen.get(url))
    skip_url = reverse("judge-skip", args=["small", "1"])
    assert screen.post(skip_url, form_of(page, reason="broken")).url == url
    page = read_page(screen.get(url))
    assert shown(page) == "d2"
    undo_url = reverse("judge-undo", args=["small"])
    uuid = re.search(r'judge-undo/".*?name="client_uuid" value="([^"]+)"', page, re.DOTALL)[1]
    for _ in range(2):  # a double click goes back once
        text = read_page(screen.post(undo_url, {"client_uuid": uuid}, follow=True))
        assert shown(text) == "d1"
        assert "Undone:" in text
    kinds = Judgment.objects.values_list("kind", flat=True)
    assert list(kinds) == ["skip", "withdrawn"]


def test_screen_changes_an_earlier_judgment(plan, screen, url, campaign):
    screen.post(url, form_of(read_page(screen.get(url)), grade=0))
    change = reverse("judge-change", args=["small", "1"], query={"docno": "d1"})
    page = read_page(screen.get(change))
    assert "Your judgment:" in page
    screen.post(url, form_of(page, grade=3))
    assert list(current_judgments(campaign).values_list("grade", "revision")) == [(3, 2)]
    never = reverse("judge-change", args=["small", "1"], query={"docno": "d4"})
    assert screen.get(never).status_code == 404


def test_screen_is_calm_when_all_is_done(plan, screen, url):
    for _ in range(4):
        screen.post(url, form_of(read_page(screen.get(url)), grade=0))
    page = read_page(screen.get(url))
    assert "Topic 1 completed" in page
    assert reverse("judge", args=["small", "2"]) in page


def test_screen_tells_when_judging_is_closed(plan, screen, url, campaign):
    campaign.judging_deadline = timezone.now()
    campaign.save()
    assert "Judging is closed" in read_page(screen.get(url))
    assert "Judging closed on" in read_page(screen.get(reverse("work", args=["small"])))
    assert not Slot.objects.filter(state="leased").exists()


def test_screen_tells_when_the_plan_was_closed(plan, screen, url, organizer):
    screen.post(url, form_of(read_page(screen.get(url)), grade=2))
    Slot.objects.filter(state="leased").update(expires_at=timezone.now())
    close_plan(actor=organizer, plan=plan)
    page = read_page(screen.get(url))
    assert "Plan closed by an organizer" in page
    assert "You judged 1 document." in page
    assert "Topic 1 completed" not in page


def test_what_others_may_do_is_told_apart_from_what_is_done(plan, assessor2, topic, screen, url):
    assert "0 of 4" in read_page(screen.get(url))
    plan.assignments.create(topic=topic, assessor=assessor2)
    page = read_page(screen.get(url))
    assert "0 done, about 3 left" in page
    body = {"topic": "1", "have": [], "count": 1, "progress": True}
    told = screen.post(reverse("judge-ahead", args=["small"]), body, "application/json").json()
    assert told["progress"] | {"of": 0} == {
        "done": 0, "of": 0, "shared": True, "per_hour": None, "left": "",
    }  # fmt: skip


def test_screen_shows_the_docno_where_the_campaign_has_no_text(
    campaign, organizer, assessor, screen, url
):
    pool = make_pool(campaign, {"1": ["unknown-7"]})
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    page = read_page(screen.get(url))
    assert "unknown-7" in page
    assert "This document has no text in the campaign" in page


def test_my_judgments_filters_by_topic_and_grade(plan, screen, assessor, grade):
    grade(assessor, "d1", 3)
    grade(assessor, "d2", 0)
    mine = reverse("my-judgments", args=["small"])
    assert read_page(screen.get(mine)).count("Change <span") == 2
    page = read_page(screen.get(mine, {"grade": "3", "topic": "1"}))
    assert "d1</th>" in page
    assert "d2</th>" not in page
    assert "No judgments match" in read_page(screen.get(mine, {"topic": "2"}))


LEAKS = (
    "SECRETRUN",
    "SECRETTEAM",
    "98765432",
    "assessor2",
    "theirs-only",
    "contributors",
    "min_rank",
)


def test_an_assessor_sees_nothing_of_runs_pools_or_others(
    double_plan, campaign, organizer, assessor, assessor2, screen, url, grade
):
    for docno in ("d1", "d2", "d3"):
        grade(assessor2, docno, 3, comment="theirs-only")
    grade(assessor, "d2", 0)
    freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    change = reverse("judge-change", args=["small", "1"], query={"docno": "d2"})
    pages = [url, change, reverse("work", args=["small"]), reverse("my-judgments", args=["small"])]
    for address in pages:
        answer = screen.get(address)
        assert answer.status_code == 200
        seen = read_page(answer) + str(answer.headers)
        assert [leak for leak in LEAKS if leak in seen] == []
    text = screen.post(url, form_of(read_page(screen.get(url)), grade=1), follow=True)
    seen = read_page(text) + str(text.headers)
    assert [leak for leak in LEAKS if leak in seen] == []


def test_undo_button_of_another_topic_leads_there(plan, screen, campaign, assessor, grade):
    other = campaign.topics.get(number="2")
    grade(assessor, "d5", 1, topic=other, client_uuid=uuid4())
    answer = screen.post(reverse("judge-undo", args=["small"]))
    assert answer.url.startswith(reverse("judge", args=["small", "2"]) + "?docno=d5&token=")
    assert shown(read_page(screen.get(answer.url))) == "d5"


ROOT = Path(settings.BASE_DIR)
LATER_KEYS: frozenset[str] = frozenset()
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
    assert used == {"n", "h", "p", "/", "z", "t", "w", "+", "-"}
    assert {key.lower() for key in found | used} == SCREEN_KEYS.keys() - LATER_KEYS
    # The help names every key but those of flags and reasons, which it lists with their labels,
    # and j, which stands in its links.
    helped = {key.lower() for keys in KEY_HELP for key in keys}
    told = {"j", *SKIP_KEYS.values(), *FLAG_KEYS.values()}
    assert helped == SCREEN_KEYS.keys() - LATER_KEYS - told
    # A key of both means the same in both.
    assert {*SKIP_KEYS.items()} >= {*FLAG_KEYS.items()} - {
        ("duplicate", "d"),
        ("unsure", "q"),
        ("typical", "e"),
    }


LETTERS = sorted(key for key in SCREEN_KEYS if key.isalnum())


@pytest.mark.parametrize("key", [*LETTERS, "N", "G"])
def test_a_key_of_the_screen_is_refused_with_the_list(organizer, key):
    scale = (GradeSpec(0, "no", "0", 0), GradeSpec(1, "yes", key, 1))
    with pytest.raises(ActionRefused) as refused:
        create_campaign(actor=organizer, title="T", scale=scale)
    assert refused.value.code == "bad-scale"
    uses = "u z s c f b l d x o p n h t g w + - j / ? k v q e ."
    assert refused.value.message == (
        f"Key {key.lower()} belongs to the judging screen, which uses {uses}."
    )


def test_the_api_the_form_and_the_manifest_refuse_it_too(
    campaign, organizer, as_user, call, tmp_path
):
    grades = [
        {"value": 0, "label": "no", "key": "n", "gain": 0},
        {"value": 1, "label": "yes", "key": "y", "gain": 1},
    ]
    asked = {"title": "T", "grades": grades, "relevance_level": 1}
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
    assert refusal(update_campaign, actor=organizer, campaign=older, scale=added) == "scale-in-use"
    update_campaign(actor=organizer, campaign=older, scale=other)
    assert get_grade_scale(older) == tuple(other)
    assert "Grade keys" not in client.get(reverse("judging", args=["small"])).content.decode()


def test_the_screen_strikes_out_a_key_that_a_grade_has(plan, older, assessor, as_user):
    page = as_user(assessor).get(reverse("judge", args=["small", "1"])).content.decode()
    assert page.count("<s>b</s>") == 2  # At the flag and in the help.
    assert page.count("<s>n</s>") == 1
    assert "This key assigns a grade." in page
