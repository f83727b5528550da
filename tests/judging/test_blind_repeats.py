"""A repeat cannot be told from a first judgment, and comes twelve or more documents later."""

import json
import re
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.api.judgments import JudgmentViewSet
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.judgments import current_judgments, own_current_judgments
from judging.queries.screen import get_assessor_topic, recent_judgments
from judging.services.judgments import claim_ahead, claim_next, undo_judgment
from judging.services.plans import create_plan
from poolbench.judging import repeats
from tests.pages import read_page, tidy_html
from tests.world.files import make_pool


@pytest.fixture
def repeat_plan(campaign, organizer, assessor) -> Plan:
    """Forty documents of topic 1 and twenty of topic 2, a quarter of which come again."""
    numbers = {"1": range(40), "2": range(40, 60)}
    pool = make_pool(campaign, {t: [f"x{n:02}" for n in of] for t, of in numbers.items()})
    people = {number: [assessor] for number in "12"}
    plan = create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)
    Plan.objects.filter(pk=plan.pk).update(repeat_share=0.25)
    return plan


@pytest.fixture
def judge_all(campaign, assessor, grade):
    """Judge up to ``most`` documents of a topic; the documents and purposes in order."""

    def walk(topic, most: int = 1_000) -> list[tuple[str, str]]:
        seen = []
        while len(seen) < most:
            slot = claim_next(actor=assessor, campaign=campaign, topic=topic)
            if slot is None:
                break
            seen.append((slot.item.docno, slot.purpose))
            grade(assessor, slot.item.docno, len(seen) % 3, token=slot.token, topic=slot.topic)
        return seen

    return walk


def gaps(seen: list[tuple[str, str]]) -> list[int]:
    """The number of other documents between each repeat and its first judgment."""
    order = [docno for docno, _ in seen]
    again = [at for at, (_, purpose) in enumerate(seen) if purpose == "repeat"]
    return [at - order.index(order[at]) - 1 for at in again]


def test_repeats_come_twelve_documents_later_and_as_often_as_asked(
    repeat_plan, judge_all, campaign, topic
):
    other = campaign.topics.get(number="2")
    begun = judge_all(topic, 7)
    between = judge_all(other)
    seen = begun + judge_all(topic)
    assert (len(seen), len(between)) == (47, 22)
    assert min(gaps(seen)) >= 12
    assert max(gaps(seen)) <= 45
    assert min(gaps(between)) >= 12


@pytest.mark.full
def test_totals_hold_the_repeats_from_the_start(
    repeat_plan, campaign, assessor, topic, grade, as_user, call, next_of
):
    """On the screen, in its script, on My topics: none grows, and none is exceeded."""
    client, address = as_user(assessor), reverse("judge-ahead", args=["small"])
    for done in range(47):
        progress = get_assessor_topic(campaign, assessor, topic)
        assert (progress.done, progress.total) == (done, 47)
        if done % 12 == 0:
            asked = {"topic": "1", "progress": True, "count": 0}
            told = client.post(address, json.dumps(asked), "application/json").json()
            assert (told["progress"]["done"], told["progress"]["of"]) == (done, 47)
            page = read_page(client.get(reverse("judge", args=["small", "1"])))
            assert f"{done} of 47" in page
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, 1, token=slot.token)
        assert own_current_judgments(campaign, assessor).first().docno == slot.item.docno
    assert next_of(assessor) is None
    assert get_assessor_topic(campaign, assessor, topic).total == 47
    rows = call(JudgmentViewSet, assessor, "list")[1]
    assert rows["count"] == 47


@pytest.mark.full
def test_my_judgments_changes_what_was_judged_last_and_lists_every_pair_once(
    repeat_plan, judge_all, campaign, assessor, topic, as_user, call, grade
):
    judge_all(topic)
    again = Judgment.objects.filter(purpose=Purpose.REPEAT).order_by("pk").last()
    Judgment.objects.filter(pk=again.pk).update(grade=3)
    client = as_user(assessor)
    change = reverse("judge-change", args=["small", "1"], query={"docno": again.docno})
    page = read_page(client.get(change))
    assert '<span class="grade" data-grade="3">' in page.split('class="notice before"')[1][:120]
    token = re.search(r'name="token" value="([^"]*)"', page).group(1)
    changed = grade(assessor, again.docno, 2, token=token)
    assert (changed.purpose, changed.revision) == ("judge", 2)
    assert current_judgments(campaign).get(docno=again.docno).grade == 2
    # Both the first judgment, changed just now, and its repeat are among the last.
    recent = [row.docno for row in recent_judgments(campaign, assessor, topic)]
    assert len(recent) == len(set(recent)) == 10
    assert again.docno in recent
    page = read_page(client.get(reverse("my-judgments", args=["small"])))
    assert page.count(f'class="mono">{again.docno}</th>') == 1
    current = call(JudgmentViewSet, assessor, "list", "get", {"current": "1"})[1]
    assert current["count"] == 40
    own = client.get(reverse("my-judgments-file", args=["small", "json"]))
    rows = json.loads(b"".join(own.streaming_content))
    assert {row["purpose"] for row in rows} == {"judge"}
    assert len([row for row in rows if row["current"]]) == 40


VARYING = re.compile(
    r"x\d\d|[0-9a-f]{8}-[0-9a-f-]{27}|\d+ of 47|(data-done|value)=\"\d\d?\""
    r"|csrfmiddlewaretoken\" value=\"\w+"
    r"|\d\d:\d\d:\d\d[^\"]*|&lt;?token=[^\"]*"
)


def plain(content: object) -> str:
    """A response without what differs from document to document."""
    text = (
        tidy_html(content.decode())
        if isinstance(content, bytes)
        else json.dumps(content, default=str)
    )
    text = re.sub(r'<ol class="judged".*?</ol>|<datalist.*?</datalist>', "", text, flags=re.DOTALL)
    text = re.sub(
        r'"id": \d+|"of" value="[^"]*"|<span id="last".*?</p>'
        r'|<span class="quiet" id="pace".*?</span>'
        r'|"per_hour": [^}]*',
        "",
        text,
    )
    return VARYING.sub("·", text)


def responses(client, ask, assessor, docno: str) -> list[str]:
    """All that an assessor gets for the document on screen, by every road."""
    place = {"campaign": "small", "topic": "1"}
    ahead, sync, renew = (
        reverse(name, args=["small"]) for name in ("judge-ahead", "judge-sync", "judge-renew")
    )
    told = []

    def post(address: str, data: dict[str, object]) -> dict[str, object]:
        answer = client.post(address, json.dumps(data), "application/json")
        told.append(plain(answer.json()))
        return answer.json()

    status, served = ask(JudgmentViewSet, assessor, "next", "post", place)
    assert (status, served["docno"]) == (200, docno)
    told.append(plain(served))
    shown = client.get(reverse("judge", args=["small", "1"]))
    recent = re.search(r'<ol class="judged".*?</ol>', read_page(shown), flags=re.DOTALL).group()
    assert f">{docno}<" not in recent
    told.append(plain(shown.content))
    told.append(
        " ".join(
            f"{k}: {len(v)}" for k, v in sorted(shown.headers.items()) if k != "Content-Length"
        )
    )
    post(ahead, {"topic": "1", "have": [], "count": 1})
    post(ahead, {"topic": "1", "again": docno, "token": str(served["token"])})
    post(renew, {"tokens": [str(served["token"])]})
    act = {"topic": "1", "docno": docno, "token": str(served["token"]), "grade": 1}
    post(sync, {"acts": [act | {"act": "judge", "uuid": str(uuid4())}]})
    undone = post(sync, {"acts": [{"act": "undo", "uuid": str(uuid4())}]})
    told.append(plain(client.get(reverse("judge", args=["small", "1"])).content))
    token = undone["results"][0]["token"]
    said = place | act | {"token": token, "client_uuid": str(uuid4())}
    said.pop("campaign")
    status, made = ask(JudgmentViewSet, assessor, "create", "post", place | said)
    assert (status, made["purpose"]) == (200, "judge")
    told.append(plain(made))
    row = next(
        row
        for row in ask(JudgmentViewSet, assessor, "list")[1]["results"]
        if row["id"] == made["id"]
    )
    told.append(plain(row))
    for name in ("work", "my-judgments"):
        page = read_page(client.get(reverse(name, args=["small"])))
        told.append(
            re.sub(r"\d+", "", VARYING.sub("·", page).split("</thead>")[0].split("<main")[-1])
        )
    return told


def test_every_response_for_a_repeat_is_that_for_a_first_judgment(
    repeat_plan, campaign, assessor, topic, judge_all, as_user, call, next_of
):
    client = as_user(assessor)
    # No repeat comes sooner, and only the last response before it is compared.
    assert {purpose for _, purpose in judge_all(topic, 12)} == {Purpose.JUDGE}
    waiting = Slot.objects.filter(purpose=Purpose.REPEAT).order_by("position")
    while not (soonest := waiting.first()) or Judgment.objects.count() < soonest.position - 2:
        judge_all(topic, 1)
    for _ in range(46 - 12):
        slot = next_of(assessor)
        if slot.purpose == Purpose.REPEAT:
            break
        first = (slot, responses(client, call, assessor, slot.item.docno))
    assert slot.purpose == Purpose.REPEAT
    again = responses(client, call, assessor, slot.item.docno)
    assert len(again) == len(first[1]) == 13
    for ordinary, repeated in zip(first[1], again, strict=True):
        assert repeated == ordinary
    assert undo_judgment(actor=assessor, campaign=campaign).purpose == Purpose.REPEAT


def test_a_change_of_the_first_judgment_puts_its_repeat_off(
    repeat_plan, assessor, topic, grade, judge_all
):
    """It is due, but the assessor saw the document a moment ago."""
    while not (waiting := Slot.objects.filter(purpose=Purpose.REPEAT).first()):
        judge_all(topic, 1)
    while len(judge_all(topic, 1)) and Judgment.objects.filter(revision=1, topic=topic).count() < (
        waiting.position - 1
    ):
        pass
    grade(assessor, waiting.item.docno, 2)
    seen = [docno for docno, _ in judge_all(topic)]
    assert seen.index(waiting.item.docno) >= 12


def test_near_the_end_no_repeat_is_drawn_and_one_that_cannot_wait_is_dropped(
    repeat_plan, campaign, assessor, assessor2, topic, judge_all
):
    """Somebody else judges the rest of the topic: what is too near is dropped, not shown."""
    while not (waiting := Slot.objects.filter(purpose=Purpose.REPEAT).first()):
        judge_all(topic, 1)
    rest = Slot.objects.filter(topic=topic, state="open", purpose=Purpose.JUDGE)
    rest.update(state="judged", assessor=assessor2)
    assert claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=3) == []
    assert not Slot.objects.filter(pk=waiting.pk).exists()
    progress = get_assessor_topic(campaign, assessor, topic)
    assert (progress.left, progress.done) == (0, progress.total)


def test_draws_are_even_and_known_from_the_start():
    for share in (0.05, 0.1, 0.29, 0.5, 1.0):
        drawn = [n for n in range(1, 201) if repeats.is_drawn(n, share, "key")]
        assert abs(len(drawn) - 200 * share) <= 1
        left = repeats.future_repeats(0, 200, share, "key")
        assert left == len([n for n in drawn if n <= 188])
    assert repeats.future_repeats(0, 12, 1.0, "key") == 0
    places = {repeats.repeats_after(3, 0.1, f"key {n}") for n in range(40)}
    assert places == {0, 1}
