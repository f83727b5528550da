"""Pages as a German browser gets them, beside the same pages in English."""

import re
from collections.abc import Iterator
from importlib import import_module
from uuid import uuid4

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import translation

from campaigns.models import Campaign, Role, User
from campaigns.services import people
from evaluation.services.release import release_scores
from judging.models import TrainingPair
from judging.rules import DESIGN_NAMES
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.judgments import claim_next
from judging.services.plans import PlanOptions, create_plan
from judging.services.slots import pause_work
from poolbench.judging.designs.registry import DESIGNS
from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
from preferences.services.comparisons import (
    DisplayedComparison,
    claim_comparison,
    submit_picks,
    submit_preference,
)
from tests.conftest import REPOSITORY
from tests.examples import take
from tests.pages import read_page
from tests.translation.english import find_english
from tests.world.files import checked_run, make_pool, run_text
from tests.world.judgments import submit_judgment
from tests.world.people import joined
from workbench.middleware import TRANSLATED

SIDED = re.compile(
    r"(?:margin|padding|border)-(?:left|right)|(?:^|[\s;{])(?:left|right)\s*:"
    r"|(?:text-align|float|clear):\s*(?:left|right)"
)


@pytest.fixture
def world(campaign, organizer, assessor, assessor2) -> dict[str, User]:
    """A campaign in which everything that an assessor or adjudicator may see is there."""
    Campaign.objects.filter(pk=campaign.pk).update(
        description="Zweck.", guidelines="Leitsatz.", guideline_version=2
    )
    campaign.topics.update(description="Beschrieben.", narrative="Genauer.")
    pool = make_pool(campaign, {"1": ["d1", "d2", "d3"], "2": ["d5", "d6"]})
    third = joined(campaign, "assessor3", Role.ASSESSOR)
    people = {number: [assessor, assessor2, third] for number in "12"}
    scheme = PlanOptions(parameters={"n": 2}, third_from=3, repeat_share=0.5)
    plan = create_plan(actor=organizer, pool=pool, assessors=people, scheme=scheme)
    topic = campaign.topics.get(number="1")
    for who, grades in ((assessor, {"d1": 0, "d2": 1, "d3": 2}), (assessor2, {"d1": 3, "d2": 0})):
        for docno, grade in grades.items():
            submit_judgment(
                actor=who, campaign=campaign, topic=topic, docno=docno, grade=grade,
                flags=["language"], comment="Anmerkung",
            )  # fmt: skip
    submit_judgment(actor=assessor2, campaign=campaign, topic=topic, docno="d3", reason="undecided")
    claim_next(actor=assessor2, campaign=campaign, topic=campaign.topics.get(number="2"))
    pause_work(actor=organizer, plan=plan, assessor=assessor, topic=topic, paused=True)
    adjudicator = joined(campaign, "adjudicator", Role.ADJUDICATOR)
    open_round(
        actor=organizer, campaign=campaign,
        pairs=list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False),
        adjudicators=[adjudicator], blind=False,
    )  # fmt: skip
    return {"assessor": assessor, "adjudicator": adjudicator, "organizer": organizer}


COMMON = (
    "/?all", "/account/", "/accounts/password/", "/accounts/password/done/", "/nowhere/",
    "/c/small/", "/c/small/setup/topics/", "/c/small/setup/topics/?q=none",
    "/c/small/setup/topics/view/1/", "/c/small/setup/documents/",
    "/c/small/setup/documents/?q=none", "/c/small/setup/documents/view/?docno=d1",
)  # fmt: skip
PAGES = {
    "anonymous": ("/", "/accounts/login/", "/join/nonsense/"),
    "assessor": (
        *COMMON, "/c/small/setup/guidelines/", "/c/small/setup/", "/c/small/judge/",
        "/c/small/my-judgments/", "/c/small/my-judgments/?grade=skip", "/c/small/judge-undo/",
        "/c/small/judge/1/", "/c/small/judge/2/", "/c/small/judge/3/",
        "/c/small/judge/1/change/?docno=d1",
    ),
    "adjudicator": (
        *take(COMMON, 6), "/c/small/setup/guidelines/", "/c/small/adjudicate/",
        "/c/small/judging/adjudication/meeting/",
        "/c/small/judging/adjudication/meeting/?apart=3",
        "/c/small/judging/adjudication/meeting/pair/?topic=1&docno=d1",
    ),
    "organizer": ("/?all", "/c/small/", "/c/small/judging/adjudication/meeting/"),
}  # fmt: skip


def sign_in(world: dict[str, User], role: str) -> Client:
    client = Client()
    if role != "anonymous":
        client.force_login(world[role])
    return client


@pytest.mark.parametrize("role", list(PAGES))
def test_a_german_page_has_no_english_left(world, campaign, role):
    assert find_english(sign_in(world, role), campaign, PAGES[role]) == {}


@pytest.fixture
def team_pages(campaign, team, participant, score_set, organizer) -> tuple[str, ...]:
    """What a team sees: its runs in every state, their faults, and released scores."""
    files = {"good": "123", "bad": "1x", "more": "12"}
    tagged = [
        checked_run(participant, campaign, team, data=run_text(*file)) for file in files.items()
    ]
    checked_run(participant, campaign, team, data=run_text("good", topics="12"), replaces=tagged[0])
    Campaign.objects.filter(pk=campaign.pk).update(max_runs_per_team=9, board="full")
    release_scores(actor=organizer, score_set=score_set)
    alpha = score_set.campaign.runs.get(tag="alpha-one")
    own = [f"/c/small/runs/{run.pk}/" for run in (*tagged, alpha)]
    return (*take(COMMON, 6), "/c/small/runs/", "/c/small/runs/upload/", *own,
            f"{own[-1]}withdraw/", f"{own[2]}withdraw/")  # fmt: skip


@pytest.mark.parametrize("who", take(["participant", "organizer"], 2))
def test_what_a_team_sees_is_german(request, team_pages, campaign, who):
    client = Client()
    client.force_login(request.getfixturevalue(who))
    assert find_english(client, campaign, team_pages) == {}


SCORE_PAGES = (
    "scores/", "scores/SET/?sort=-team&m=map&m=bpref&m=team&m=kind", "scores/SET/run/RUN/",
    "scores/SET/run/RUN/?measure=P_5&bounds=1", "scores/SET/run/RUN/?measure=judged_10&topic=1",
    "scores/SET/compare/", "scores/SET/compare/?a=alpha-one&b=alpha-one", "scores/SET/pairs/",
    "scores/SET/pairs/?test=tukey-hsd&measure=P_5", "scores/SET/measures/?by=tau-ap",
    "paper/?m=P_5&decimals=4", "paper/",
)  # fmt: skip


@pytest.mark.parametrize(
    ("who", "board"),
    take([("participant", "own"), ("organizer", "names"), ("participant", "names")], 3),
)
def test_scores_are_german(request, campaign, score_set, organizer, alpha, who, board):
    client = Client()
    client.force_login(request.getfixturevalue(who))
    Campaign.objects.filter(pk=campaign.pk).update(board=board)
    root, (own, run) = "/c/small/results/", map(str, (score_set.pk, alpha.pk))
    addresses = [root + url.replace("SET", own).replace("RUN", run) for url in SCORE_PAGES]
    assert find_english(client, campaign, [f"{root}scores/", f"{root}paper/"]) == {}
    release_scores(actor=organizer, score_set=score_set)
    assert find_english(client, campaign, addresses) == {}


def test_the_desk_of_preferences_is_german(
    restore, campaign, organizer, assessor, alpha, beta, as_user
):
    restore("pool")
    client = as_user(assessor)
    runs = {"run_a": alpha, "run_b": beta}
    kinds = {"documents": {"pool": campaign.pools.get()}, "rankings": runs, "interleaved": runs}
    urls = ["/c/small/comparisons/", "/c/small/comparisons/mine/"]
    for kind, given in kinds.items():
        options = ComparisonOptions(kind=kind, title="none", seed=5, **given)
        plan = create_comparison_plan(actor=organizer, campaign=campaign, options=options)
        claimed = claim_comparison(actor=assessor, campaign=campaign, plan=plan)
        display = DisplayedComparison(claimed.comparison, claimed.swapped)
        save, answer = submit_preference, {"side": "tie"}
        if kind == "interleaved":
            save, answer = submit_picks, {"picks": [1]}
        done = save(actor=assessor, display=display, client_uuid=uuid4(), **answer)
        url = f"/c/small/comparisons/{plan.pk}/"
        urls += [url, f"{url}?change={done.client_uuid}"]
    assert find_english(client, campaign, urls) == {}


def test_a_withdrawal_in_german_is_recorded_in_english(alpha, participant, client):
    client.force_login(participant)
    url, german = f"{alpha.get_absolute_url()}withdraw/", {"accept-language": "de"}
    shown = read_page(client.get(url, headers=german))
    digest = re.search(r'name="digest" value="(\w+)"', shown)[1]
    assert "Lauf alpha-one zurückziehen?" in shown
    assert client.post(url, {"digest": digest}, headers=german).status_code == 302
    kept = alpha.campaign.events.get(code="run.withdrawn").data["confirmed"]
    assert kept["question"] == "Withdraw run alpha-one?"


def test_every_translated_view_is_there():
    for name in TRANSLATED[1:]:
        module, _, view = name.rpartition(".")
        assert not view or hasattr(import_module(module), view), name


def test_designs_are_named_as_their_cards_say():
    with translation.override("en"):
        names = {name: str(told) for name, told in DESIGN_NAMES.items()}
    assert names == {name: design.card.title for name, design in DESIGNS.items()}


def test_what_refuses_a_judgment_speaks_german(world, campaign):
    client = sign_in(world, "assessor")
    body = {"docno": "d9", "grade": "1", "client_uuid": str(uuid4())}
    german = {"accept-language": "de"}
    client.post("/c/small/judge/2/", body, headers=german)
    told = read_page(client.get("/c/small/judge/2/", headers=german))
    assert "Nicht gespeichert. Dokument d9 zu Thema 2 ist Ihnen nicht zugeteilt" in told


def test_training_and_invitations_speak_german(world, campaign, organizer, client):
    topic = campaign.topics.get(number="3")
    TrainingPair.objects.create(campaign=campaign, topic=topic, docno="d9", grade=1, position=1)
    assessor = sign_in(world, "assessor")
    invitation = people.create_invitation(actor=organizer, campaign=campaign, role=Role.ASSESSOR)
    join = reverse("join", args=[people.sign_invitation_token(invitation)])
    for who, url in ((assessor, "/c/small/judge-training/"), (assessor, "/c/small/judge/"),
                     (assessor, join), (client, join)):  # fmt: skip
        assert find_english(who, campaign, [url]) == {}


def test_the_chosen_language_stands_before_the_browsers(client, db):
    answer = client.post("/language/", {"language": "de", "next": "/accounts/login/"})
    assert answer["Location"] == "/accounts/login/"
    cookie = answer.cookies["language"]
    assert (cookie.value, cookie["samesite"]) == ("de", "Lax")
    assert cookie["max-age"] > 30_000_000
    shown = client.get("/accounts/login/", headers={"accept-language": "en"})
    assert "Anmelden" in read_page(shown)
    assert (
        client.post("/language/", {"language": "xx", "next": "//evil.example/"})["Location"] == "/"
    )


def test_an_unknown_language_is_answered_in_english(client, db):
    told = client.get("/accounts/login/", headers={"accept-language": "xx, fr;q=0.8"})
    assert '<html lang="en"' in read_page(told)


def test_programs_hear_english(world, campaign):
    client = sign_in(world, "assessor")
    body = {"campaign": "small", "topic": "2", "docno": "d5", "grade": 99, "client_uuid": uuid4()}
    told = [
        client.post("/api/judgments/", body, "application/json", headers=headers)
        for headers in ({}, {"accept-language": "de"})
    ]
    assert told[0].json() == told[1].json()
    assert "is not on the grade scale" in read_page(told[1])


def test_a_page_that_is_not_translated_comes_in_english_as_a_whole(client, db):
    told = read_page(client.get("/measures/", headers={"accept-language": "de"}))
    assert '<html lang="en"' in told
    assert "Skip to content" in told


def test_a_page_that_is_not_translated_says_so_in_the_visitors_language(client, db):
    with translation.override("de"):
        sentence = translation.gettext("This page is only in English so far.")
    notice = f'<p class="quiet small" lang="de">{sentence}</p>'
    for url, language, count in (
        ("/measures/", "de", 1), ("/measures/", "en", 0),
        ("/accounts/login/", "de", 0), ("/nowhere/", "de", 0),
    ):  # fmt: skip
        page = read_page(client.get(url, headers={"accept-language": language}))
        assert page.count(notice) == count, url


def test_a_request_leaves_the_thread_in_english(client, db):
    client.get("/accounts/login/", headers={"accept-language": "de"})
    assert translation.get_language() == "en"


def styles() -> Iterator[tuple[str, int, str]]:
    for path in sorted((REPOSITORY / "static/css").glob("*.css")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield path.name, number, line


def test_pages_turn_for_scripts_from_right_to_left(world):
    client = sign_in(world, "assessor")
    with override_settings(LANGUAGES=[("en", "English"), ("ar", "العربية")]):
        for url in ("/c/small/judge/2/", "/c/small/judge/"):
            told = read_page(client.get(url, headers={"accept-language": "ar"}))
            assert '<html lang="ar" dir="rtl"' in told
    assert [place for *place, line in styles() if SIDED.search(line)] == []
