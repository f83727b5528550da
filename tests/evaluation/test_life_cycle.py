import re
from datetime import timedelta

import pytest
from django.db import connection
from django.template import Context, Template
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.lifecycle.head import (
    Place,
    build_groups,
    build_phases,
    list_next_steps,
    list_pending_tasks,
)
from campaigns.lifecycle.registry import list_dates
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.models import Assignment, Plan, Slot
from poolbench.pooling.spec import depth_spec
from pooling.lifecycle import PoolFacts
from pooling.services.freeze import freeze_pool
from tests.pages import read_page
from tests.world.files import accepted_run, make_pool

HEAD = Template("{% load campaign_head %}{% campaign_head campaign %}")


def request_of(user):
    request = RequestFactory().get("/somewhere/")
    request.user, request.resolver_match = user, None
    return request


def states(campaign, user) -> dict[str, str]:
    return {p.label: p.state for p in build_phases(get_campaign_status(campaign, user))}


def notes(campaign, user) -> dict[str, str]:
    return {p.label: p.note for p in build_phases(get_campaign_status(campaign, user))}


def actions(campaign, user) -> list[str]:
    return [task.action for task in list_pending_tasks(get_campaign_status(campaign, user))]


@pytest.fixture
def plan(campaign, organizer, assessor, alpha) -> Plan:
    pool = make_pool(campaign, {"1": ["d1", "d2"]})
    made = Plan.objects.create(campaign=campaign, pool=pool, created_by=organizer)
    topic = campaign.topics.get(number="1")
    Assignment.objects.create(plan=made, topic=topic, assessor=assessor)
    Slot.objects.bulk_create(
        Slot(plan=made, item=item, topic=topic, k=1, position=item.position)
        for item in pool.items.all()
    )
    return made


def test_a_new_campaign_is_at_runs(campaign, organizer):
    assert states(campaign, organizer) == {
        "Setup": "done", "Runs": "now", "Pool": "todo", "Judging": "todo", "Qrels": "todo",
        "Scores": "todo",
    }  # fmt: skip
    assert notes(campaign, organizer)["Setup"] == "3 topics"
    assert actions(campaign, organizer) == ["Invite people"]


def test_a_campaign_without_topics_is_at_setup(campaign, organizer):
    campaign.topics.all().delete()
    assert states(campaign, organizer)["Setup"] == "now"
    assert actions(campaign, organizer)[0] == "Import topics"


def test_runs_without_a_deadline_ask_for_a_pool(campaign, organizer, alpha, beta, beta2):
    assert notes(campaign, organizer)["Runs"] == "3 runs from 2 teams"
    assert actions(campaign, organizer) == ["Build pool"]


def test_a_passed_deadline_without_runs_is_late(campaign, organizer):
    campaign.runs_deadline = timezone.now() - timedelta(days=1)
    assert states(campaign, organizer)["Runs"] == "late"


def test_judging_counts_slots(campaign, organizer, assessor, plan):
    assert states(campaign, organizer)["Judging"] == "now"
    assert notes(campaign, organizer)["Judging"] == "0 of 2 judged"
    Slot.objects.filter(position=0).update(state=Slot.State.JUDGED, assessor=assessor)
    assert notes(campaign, organizer)["Judging"] == "1 of 2 judged"
    assert notes(campaign, assessor)["Judging"] == "1 by you"
    Slot.objects.update(state=Slot.State.JUDGED, assessor=assessor)
    assert states(campaign, organizer)["Judging"] == "done"
    assert actions(campaign, organizer) == ["Freeze qrels"]


def test_after_the_release_judging_has_no_deadline_and_names_what_is_missing(
    campaign, organizer, participant, assessor, plan, qrels
):
    Campaign.objects.update(judging_deadline=timezone.now() + timedelta(days=26))
    campaign.refresh_from_db()
    Slot.objects.filter(position=0).update(state=Slot.State.JUDGED, assessor=assessor)
    dates = [str(date.ahead) for date in list_dates(get_campaign_status(campaign, participant))]
    assert dates == ["Campaign created", "Judging closes"]
    assert "1 of 2 judged, due " in notes(campaign, organizer)["Judging"]
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    release_scores(actor=organizer, score_set=made)
    assert states(campaign, organizer)["Judging"] == "done"
    assert notes(campaign, organizer)["Judging"] == "1 of 2 not judged"
    assert notes(campaign, participant)["Judging"] == ""
    dates = [str(date.ahead) for date in list_dates(get_campaign_status(campaign, participant))]
    assert "Judging closes" not in dates


def test_an_assessor_is_told_what_waits(campaign, assessor, assessor2, plan):
    tasks = list_pending_tasks(get_campaign_status(campaign, assessor))
    assert [task.label for task in tasks] == ["2 documents to judge"]
    assert list_pending_tasks(get_campaign_status(campaign, assessor2)) == []
    Slot.objects.filter(position=0).update(state=Slot.State.JUDGED, assessor=assessor)
    tasks = list_pending_tasks(get_campaign_status(campaign, assessor))
    assert [task.label for task in tasks] == ["1 document to judge"]
    Plan.objects.update(state="paused")
    assert list_pending_tasks(get_campaign_status(campaign, assessor)) == []


def test_scores_are_asked_for_then_released(campaign, organizer, alpha, qrels):
    assert actions(campaign, organizer) == ["Evaluate runs"]
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert actions(campaign, organizer) == ["Release scores"]
    assert states(campaign, organizer)["Scores"] == "now"
    release_scores(actor=organizer, score_set=made)
    assert states(campaign, organizer)["Scores"] == "done"
    assert actions(campaign, organizer) == []


def test_a_participant_reads_only_their_own_counts(
    campaign, organizer, participant, score_set, plan
):
    told = notes(campaign, participant)
    assert told["Runs"] == "1 from your team"
    assert (told["Pool"], told["Judging"], told["Qrels"], told["Scores"]) == ("", "", "", "")
    assert "View your scores" not in actions(campaign, participant)
    release_scores(actor=organizer, score_set=score_set)
    assert notes(campaign, participant)["Scores"].startswith("released ")
    assert "View your scores" in actions(campaign, participant)


def test_a_full_team_is_not_asked_for_runs(campaign, participant, alpha):
    assert actions(campaign, participant) == ["Submit run"]
    Campaign.objects.filter(pk=campaign.pk).update(max_runs_per_team=1)
    campaign.refresh_from_db()
    assert actions(campaign, participant) == []


def test_tabs_are_those_of_the_role(
    campaign, organizer, assessor, participant, viewer, django_user_model
):
    def labels(user) -> dict[str, list[str]]:
        groups = build_groups(get_campaign_status(campaign, user), Place())
        return {group.label: [tab.label for tab in group.tabs] for group in groups}

    data = {"Overview": ["Overview"], "Data": ["Topics", "Documents", "Data"]}
    assert labels(viewer) == data
    assert labels(participant) == {
        **data, "Runs": ["Runs", "Submit run"], "Results": ["Leaderboard", "For a paper"],
        "Team": ["Team"],
    }  # fmt: skip
    assert labels(assessor) == {
        "Overview": ["Overview"], "Setup": ["Guidelines"], "Data": ["Topics", "Documents", "Data"],
        "Judging": ["Judge", "Compare", "My judgments"],
    }  # fmt: skip
    assert labels(organizer) == {
        "Overview": ["Overview"],
        "Setup": [
            "Settings", "Topics", "Tasks and rounds", "Documents", "Data", "Guidelines",
            "Corrections", "Public page", "Copy and close",
        ],
        "Runs": ["Runs", "Submit run", "Run form"],
        "Pool": ["Pools", "Simulate"],
        "Judging": [
            "Today", "Progress", "Agreement", "When to stop", "Adjudication", "Training",
            "Automatic", "Crowd", "Preferences", "Import and export",
        ],
        "Results": [
            "Leaderboard", "For a paper", "Interim scores", "Estimates", "Qrels", "Reusability",
            "Archive",
        ],
        "People": ["Members", "Teams", "Outbox", "Log"],
    }  # fmt: skip
    root = django_user_model.objects.create_superuser("root", password="correct horse battery")
    assert labels(root) == labels(organizer)


def test_pages_of_scores_appear_with_the_scores(campaign, organizer, participant, score_set):
    def labels(user) -> list[str]:
        groups = build_groups(get_campaign_status(campaign, user), Place())
        return next([tab.label for tab in g.tabs] for g in groups if g.label == "Results")

    pages = ["Leaderboard", "For a paper", "Compare", "All pairs", "Measures compared"]
    assert labels(organizer) == [
        *pages,
        "Interim scores",
        "Estimates",
        "Qrels",
        "Reusability",
        "Archive",
    ]
    assert labels(participant) == ["Leaderboard", "For a paper"]
    release_scores(actor=organizer, score_set=score_set)
    assert labels(participant) == pages


@pytest.mark.parametrize(
    ("page", "tab", "label", "current"),
    [
        ("import-export", "import-export", "Import and export", "page"),
        ("judgments-import", "import-export", "Import and export", "true"),
        ("flagged-documents", "judging", "Progress", "true"),
        ("agreement-topics", "agreement", "Agreement", "true"),
    ],
)
def test_a_page_below_a_tab_marks_it(campaign, organizer, as_user, page, tab, label, current):
    shown = read_page(as_user(organizer).get(reverse(page, args=[campaign.slug])))
    address = reverse(tab, args=[campaign.slug])
    group = reverse("judging-today", args=[campaign.slug])
    assert f'<a href="{address}" aria-current="{current}">{label}' in shown
    assert f'<a href="{group}" aria-current="true">Judging' in shown


def test_the_head_costs_the_same_queries_however_much_there_is(
    campaign, team, organizer, assessor, participant, plan, score_set
):
    def queries(user) -> int:
        with CaptureQueriesContext(connection) as seen:
            HEAD.render(Context({"campaign": campaign, "request": request_of(user)}))
        return len(seen)

    few = [queries(user) for user in (organizer, assessor, participant)]
    for number in range(3):
        accepted_run(team, f"more-{number}", f"1 Q0 d{number + 1} 1 1 t\n")
    assert [queries(user) for user in (organizer, assessor, participant)] == few == [7, 19, 8]


def test_judging_that_goes_on_after_qrels_is_not_to_come(campaign, organizer, alpha, qrels, plan):
    assert states(campaign, organizer) == {
        "Setup": "done", "Runs": "done", "Pool": "done", "Judging": "now", "Qrels": "done",
        "Scores": "now",
    }  # fmt: skip
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    release_scores(actor=organizer, score_set=made)
    assert set(states(campaign, organizer).values()) == {"done"}
    assert notes(campaign, organizer)["Judging"] == "2 of 2 not judged"


def test_qrels_of_imported_judgments_leave_no_hole_before_them(campaign, organizer, alpha, qrels):
    assert list(states(campaign, organizer).values()) == ["done"] * 5 + ["now"]


def test_where_nothing_is_needed_the_head_says_what_comes_next(
    campaign, organizer, participant, assessor, assessor2, alpha, plan
):
    def told(user):
        return list_next_steps(get_campaign_status(campaign, user))[0].label

    assert told(organizer) == "Monitor judging, then freeze qrels"
    assert told(assessor2) == "No topics assigned to you yet"
    assert told(participant) == "Scores not released yet"
    page = HEAD.render(Context({"request": request_of(organizer), "campaign": campaign}))
    assert ">Monitor judging</a>" in page


def test_the_next_act_is_left_out_on_its_own_page(campaign, organizer, alpha, as_user):
    def act(name: str) -> str | None:
        address = reverse(name, args=[campaign.slug])
        page = read_page(as_user(organizer).get(address))
        shown = re.search(r'class="next-act" href="([^"]*)"', page)
        return shown and shown[1]

    assert act("runs") == reverse("pools", args=[campaign.slug])
    assert act("pools") is None


def test_tasks_and_steps_are_on_the_overview_only(campaign, organizer, alpha, as_user):
    client = as_user(organizer)
    overview = read_page(client.get(campaign.get_absolute_url()))
    assert "Your tasks" in overview
    assert 'class="phases"' in overview
    other = read_page(client.get(reverse("topics", args=[campaign.slug])))
    assert "Your tasks" not in other
    assert 'class="phases"' not in other
    assert campaign.title not in re.search("<h1.*?</h1>", other, re.DOTALL)[0]


def test_an_invited_team_is_waited_for(campaign, organizer, participant):
    assert actions(campaign, organizer) == []
    step = list_next_steps(get_campaign_status(campaign, organizer))[0]
    assert step.label == "No runs yet; runs are checked on submission"


def test_the_size_is_that_of_the_newest_pool(campaign, organizer, alpha, beta):
    sizes = [
        freeze_pool(
            actor=organizer, campaign=campaign, spec=depth_spec(depth), runs=[alpha, beta]
        ).size
        for depth in (3, 1)
    ]
    standing = get_campaign_status(campaign, organizer)
    assert standing.get(PoolFacts) == PoolFacts(version=2, size=sizes[1])
    assert sizes[0] > sizes[1]
