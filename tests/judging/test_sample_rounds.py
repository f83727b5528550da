"""A sample by influence from the pool page to the desk: drawn, planned, judged in rounds, grown."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.errors import ActionRefused
from judging.models import Plan
from judging.queries.slots import ROUND
from judging.services import plan_slots
from judging.services.automatic import create_automatic_assessor
from judging.services.imports import ImportOptions, import_file, import_judgments
from judging.services.judgment_log import JudgmentSubmission
from judging.services.judgments import claim_next, submit_judgment
from judging.services.plan_slots import list_unplanned_pairs
from judging.services.plans import create_plan
from poolbench.pooling.spec_file import read_spec
from poolbench.replay.verification import verify_archive
from pooling.queries.frozen_pools import load_sample_plan, rebuild_sessions
from pooling.queries.pools import load_pool_table
from pooling.services.freeze import freeze_pool
from tests.confirming import confirm
from tests.pages import read_page
from tests.replay.archives import load, make_archive, unpack


def sample_spec(number: int, **more: object) -> dict[str, object]:
    return {"steps": [{"method": "influence", "number": number, **more}], "seed": 7}


@pytest.fixture
def runs(restore, team, other_team):
    """The runs of ``world.files.TOY``: nine pairs."""
    return restore("toy_runs")


@pytest.fixture
def draw(organizer, campaign, runs):
    def act(number: int = 6, **more: object):
        spec = read_spec(sample_spec(number, **more))
        return freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)

    return act


@pytest.fixture
def three_rounds(monkeypatch):
    """Three pairs a round."""
    monkeypatch.setattr(plan_slots, "ROUNDS", 3)


def drawn_pairs(pool) -> list[tuple[str, str]]:
    """The pairs of ``pool`` in the order of drawing."""
    plan, number = load_sample_plan(pool)
    frame = plan.frame
    return [
        (frame.topics[frame.topic_index[at]], frame.docnos[int(at)]) for at in plan.order[:number]
    ]


def planned_pairs(plan) -> list[tuple[int, str, str]]:
    """Round, topic and docno of each slot, in the order of judging."""
    slots = plan.slots.select_related("topic", "item").order_by("position")
    return [(slot.position // ROUND, slot.topic.number, slot.docno) for slot in slots]


def test_a_plan_takes_pairs_as_drawn_in_rounds_and_topic_by_topic(
    draw, organizer, assessor, three_rounds
):
    pool = draw()
    assessors = {"1": [assessor], "2": [assessor]}
    plan = create_plan(actor=organizer, pool=pool, assessors=assessors)
    assert plan.order == Plan.Order.POOL
    drawn, planned = drawn_pairs(pool), planned_pairs(plan)
    for turn in (0, 1):
        own = [pair for at, *pair in planned if at == turn]
        assert sorted(map(tuple, own)) == sorted(drawn[3 * turn : 3 * turn + 3])
        assert [topic for topic, _ in own] == sorted(topic for topic, _ in own)


def test_a_larger_sample_asks_only_for_what_is_new(draw, organizer, assessor, three_rounds):
    small = draw(4)
    create_plan(actor=organizer, pool=small, assessors={"1": [assessor], "2": [assessor]})
    large = draw(7)
    assert drawn_pairs(large)[:4] == drawn_pairs(small)
    assert len(list_unplanned_pairs(large)) == 3
    plan = create_plan(actor=organizer, pool=large, assessors={"1": [assessor], "2": [assessor]})
    # The rounds go on where those of the smaller sample ended.
    found = [(turn, (topic, docno)) for turn, topic, docno in planned_pairs(plan)]
    assert found == sorted(found, key=lambda row: row[0])
    assert {pair: turn for turn, pair in found} == {
        pair: place // 3 for place, pair in enumerate(drawn_pairs(large)) if place >= 4
    }


def test_a_topic_waits_for_the_round_of_the_others(
    draw, organizer, assessor, campaign, as_user, three_rounds
):
    pool = draw(9)
    topics = {topic.number: topic for topic in campaign.topics.all()}
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor], "2": [assessor]})
    first_round = drawn_pairs(pool)[:3]
    mine, *others = sorted({topic for topic, _ in first_round})
    assert others, "the round has pairs of both topics"

    def judge(number: str) -> str | None:
        slot = claim_next(actor=assessor, campaign=campaign, topic=topics[number])
        if slot is None:
            return None
        given = {"docno": slot.docno, "kind": "grade", "grade": 0, "token": slot.token}
        asked = JudgmentSubmission(assessor, campaign, topics[number], client_uuid=uuid4(), **given)
        submit_judgment(asked)
        return slot.docno

    for number in (mine, *others):
        own = {docno for topic, docno in first_round if topic == number}
        if number != mine:
            # The first topic waits, and its page leads on.
            assert judge(mine) is None
            page = read_page(as_user(assessor).get(reverse("judge", args=[campaign.slug, mine])))
            assert f"This round of topic {mine} completed" in page
            assert reverse("judge", args=[campaign.slug, number]) in page
        assert {judge(number) for _ in own} == own
    assert judge(mine) is not None


@pytest.fixture
def model(organizer, campaign):
    """An automatic assessor that graded three pairs of topic 1."""
    model = create_automatic_assessor(actor=organizer, campaign=campaign, name="llama3")
    import_grades(organizer, campaign, model, {"d1": 0, "d2": 0, "d9": 3})
    return model


def import_grades(organizer, campaign, model, grades):
    text = "topic,docno,grade\n" + "".join(f"1,{d},{grade}\n" for d, grade in grades.items())
    options = ImportOptions(automatic=model)
    given = {"actor": organizer, "campaign": campaign, "data": text.encode(), "file": "m.csv"}
    import_file(**given, options=options)


def test_the_grades_that_a_pool_was_drawn_with_stay(draw, organizer, campaign, model, tmp_path):
    plain, graded = draw(5, top=3), draw(5, top=3, machine="llama3")
    assert graded.spec["machine"] == {
        "name": "llama3", "rows": 3, "sha256": graded.spec["machine"]["sha256"],
    }  # fmt: skip
    weights = [sorted(p.items.values_list("probability", flat=True)) for p in (plain, graded)]
    assert weights[0] != weights[1]
    # Later grades are for later pools.
    import_grades(organizer, campaign, model, {"d1": 3, "d2": 3})
    rebuild_sessions(graded, load_pool_table(graded))
    later = draw(5, top=3, machine="llama3")
    assert later.spec["machine"]["rows"] == 5
    # Also where an archive is checked or loaded.
    archive = make_archive(campaign, tmp_path / "campaign.zip")
    assert verify_archive(unpack(archive)).differences == []
    elsewhere = load(organizer, archive, slug="elsewhere").pools.get(version=graded.version)
    rebuild_sessions(elsewhere, load_pool_table(elsewhere))


def test_an_unknown_machine_is_refused(draw):
    with pytest.raises(ActionRefused, match="Unknown automatic assessor: nobody") as refused:
        draw(5, machine="nobody")
    assert "Known ones: none" in refused.value.fix


def test_the_preview_says_what_the_sample_would_tell(page, campaign, runs, model):
    address = reverse("pools", args=[campaign.slug])
    asked = {"run": [run.pk for run in runs], "depth": 2, "seconds": 60, "preview": "1"}
    answer = page.post(address, asked | {"sample": 5, "hours": "", "machine": "llama3"})
    plan = answer.context["preview"].sample
    assert answer.context["preview"].parts.size == plan.forecast.number == 5
    assert plan.machine == "llama3"
    text = read_page(answer)
    assert "More topics or more judgments?" in text
    assert "Fewer than five judgments per topic" in text
    # By hours: 6 minutes of a minute each.
    answer = page.post(address, asked | {"hours": "0.1", "machine": ""})
    assert answer.context["preview"].parts.size == 6
    both = page.post(address, asked | {"sample": 5, "hours": "1"})
    assert "Enter judgments or hours, not both." in read_page(both)


def test_a_previewed_sample_is_frozen_and_shown(page, campaign, runs):
    address = reverse("pool-freeze", args=[campaign.slug])
    spec = "steps: [{method: influence, number: 5, measures: [map, P_10]}]"
    form = {"run": [run.pk for run in runs], "text": spec, "seconds": 30, "after": 0}
    answer = confirm(page, address, form)
    pool = campaign.pools.get()
    assert answer.url == pool.get_absolute_url()
    text = read_page(page.get(pool.get_absolute_url()))
    assert "5 of 9 pairs" in text
    assert "AP, P@10" in text
    frame = page.get(reverse("pool-download", args=[campaign.slug, pool.version, "prels"]))
    assert len(read_page(frame).splitlines()) == 5


def test_the_preview_of_a_sample_has_a_head_for_each_measure(page, campaign, runs):
    spec = "steps: [{method: influence, number: 5, measures: [map, P_10]}]"
    form = {"run": [run.pk for run in runs], "text": spec, "seconds": 720, "preview": 1}
    text = read_page(page.post(reverse("pools", args=[campaign.slug]), form))
    table = text[text.index("Half-widths by number of judgments") :]
    head, row = table[: table.index("</thead>")], table[: table.index("this pool")]
    assert re.findall(r"± (\S+?)<", head) == ["MAP", "P@10"]
    assert head.count("<th scope") == 6
    # A fifth of an hour each: the row before has half as many judgments.
    assert '<td class="num">0.4</td>' in row


def test_an_assessor_begins_with_a_topic_of_the_round(
    as_user, campaign, draw, organizer, assessor, three_rounds
):
    pool = draw(9)
    numbers = pool.items.values_list("topic__number", flat=True).distinct()
    people = {number: [assessor] for number in numbers}
    plan = create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)
    first = plan.slots.order_by("position").first().topic
    # Of topic 1 all documents of the round are judged.
    round_ = plan.slots.filter(position__lt=2 * ROUND)
    rows = [(slot.topic.number, slot.item.docno, 0) for slot in round_.filter(topic=first)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    following = round_.exclude(topic=first).order_by("position").first().topic
    text = read_page(as_user(assessor).get(reverse("work", args=[campaign.slug])))
    assert f"topic {following.number}</a>" in " ".join(text.split()).replace(" </a>", "</a>")
