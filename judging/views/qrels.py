"""Qrels versions: the form with its preview, the list, one version, two compared; and policies."""

from functools import partial

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import store
from campaigns.api.attachments import attachment_response, report_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import compute_report, find_report, get_report
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from judging.forms.qrels import QrelsForm
from judging.models import Judgment, Purpose
from judging.queries.judgments import has_propagated_grades
from judging.queries.newer_judgments import count_newer_judgments
from judging.queries.qrels_release import add_audience, list_wider_audiences
from judging.queries.qrels_versions import (
    QrelsComparison,
    compare_qrels_versions,
    find_study_model,
    format_qrels_changes,
)
from judging.services.policy_comparison import COMPARED, MOST_LABELS, list_compared_policies
from judging.services.qrels import (
    MAX_LISTED,
    QrelsDraft,
    describe_qrels,
    freeze_qrels,
    preview_policies,
    resolve_policy,
    verify_qrels,
)
from poolbench.files.faults import format_count
from poolbench.files.natural_sort import sort_items_naturally
from poolbench.judging.aggregation.formats import RECORDS
from poolbench.judging.policies import (
    ADJUDICATED,
    NO_ESTIMATE,
    NOT_PROPAGATED,
    POLICIES,
    get_policy,
)
from poolbench.judging.policy_comparison import COMPARISON_FORMATS, PolicyComparison
from poolbench.judging.policy_rules import CROWD, RULES
from poolbench.shared_reads import share_reads

PAGE = 100


@require_http_methods(["GET", "POST"])
def qrels_list_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All versions, and the form for the next; ``?policy=`` previews a policy."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        return show_qrels_versions(request, campaign)
    usual = default_policy(campaign)
    form = QrelsForm(campaign, request.POST, name=usual)
    if not form.is_valid():
        return list_page(request, campaign, form, usual)
    if "preview" in request.POST:
        return list_page(request, campaign, form, form.cleaned_data["name"])
    return qrels_freeze_view(request, slug)


@share_reads
def show_qrels_versions(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    usual = default_policy(campaign)
    name = resolve_policy(campaign, request.GET.get("policy") or usual).name
    return list_page(request, campaign, QrelsForm(campaign, name=name), name)


@require_http_methods(["GET", "POST"])
def qrels_freeze_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page before a qrels version is frozen; its form freezes."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    usual = default_policy(campaign)
    form = QrelsForm(campaign, request.POST or request.GET, name=usual)
    if not form.is_valid():
        return list_page(request, campaign, form, usual)
    # Fixed when the page is shown: what was read is frozen while assessors go on judging.
    moment = form.cleaned_data["as_of"] or timezone.now()
    wanted = {"policy": form.cleaned_data["name"], "as_of": moment}
    try:
        describe = partial(describe_qrels, actor=request.user, campaign=campaign, **wanted)
        describe()
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return list_page(request, campaign, form, wanted["policy"])

    def act(decision: Decision) -> HttpResponse:
        qrels = freeze_qrels(
            actor=request.user, campaign=campaign, note=form.cleaned_data["note"],
            decision=decision, **wanted,
        )  # fmt: skip
        pairs = format_count(qrels.pairs, "pair")
        messages.success(request, f"Qrels {qrels.version} frozen: {pairs}.")
        return redirect(qrels)

    values = {name: form.data.get(name, "") for name in form.fields}
    fields = [*(values | {"as_of": moment.isoformat()}).items()]
    return confirm_act(request, campaign, describe=describe, act=act, fields=fields)


@share_reads
def default_policy(campaign: Campaign) -> str:
    """The policy preselected: the model of the latest crowd study with judgments, unless it is too
    slow for a page; else majority if pairs may have several judgments.
    """
    offered, _skipped = list_compared_policies(campaign)
    prefix = ADJUDICATED if offered[0].startswith(ADJUDICATED) else ""
    model = f"{prefix}{CROWD}{find_study_model(campaign)}"
    if model in offered:
        return model
    several = campaign.plans.filter(overlap__gt=1).exists()
    return prefix + ("majority" if several or prefix else "single")


@require_safe
def qrels_view(request: SignedInRequest, slug: str, version: int) -> HttpResponse:
    """One version with its manifest; ``?verify=1`` rebuilds it from the log."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    versions = add_audience(campaign.qrels.select_related("frozen_by"))
    qrels = get_object_or_404(versions, version=version)
    values = [str(grade.value) for grade in campaign.grades.all()]
    purposes = qrels.manifest.get("purposes", {})
    topics = [
        (topic, [counts.get(value, 0) for value in values], sum(counts.values()))
        for topic, counts in sort_items_naturally(qrels.manifest["topics"])
    ]
    page = {
        "campaign": campaign,
        "qrels": qrels,
        "manifest": qrels.manifest,
        "policy": get_policy(qrels.policy).card,
        "purposes": [(Purpose(name).label, count) for name, count in purposes.items()],
        "others": campaign.qrels.exclude(pk=qrels.pk),
        "wider": list_wider_audiences(qrels),
        "grades": {grade.value: grade for grade in campaign.grades.all()},
        "topics": topics,
        "grade_totals": [sum(column) for column in zip(*(row[1] for row in topics), strict=True)],
        "verified": verify_qrels(qrels) if "verify" in request.GET else None,
    }
    return render_page(request, "judging/qrels.html", page)


@require_safe
def qrels_compare_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The changes from version ``?before=`` to version ``?after=``."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    comparison = get_compared_versions(request, campaign)
    grades = [grade.value for grade in campaign.grades.all()]
    values = sorted(
        {grade for flow in comparison.flows for grade in flow if grade is not None} | set(grades)
    )
    table = [
        (before, [(comparison.flows[before, after], before == after) for after in (*values, None)])
        for before in (*values, None)
    ]
    page = {
        "campaign": campaign,
        "comparison": comparison,
        "sides": [("before", comparison.before.version), ("after", comparison.after.version)],
        "query": f"?before={comparison.before.version}&after={comparison.after.version}",
        "versions": campaign.qrels.all(),
        "values": values,
        "table": table,
        "grades": {grade.value: grade for grade in campaign.grades.all()},
        "page_obj": Paginator(comparison.changes, PAGE).get_page(request.GET.get("page")),
    }
    return render_page(request, "judging/qrels_compare.html", page)


@require_safe
def qrels_changes_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The same as CSV: one line per changed pair."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    comparison = get_compared_versions(request, campaign)
    name = f"{slug}-qrels-{comparison.before.version}-to-{comparison.after.version}.csv"
    return attachment_response(format_qrels_changes(comparison), name)


def get_compared_versions(request: SignedInRequest, campaign: Campaign) -> QrelsComparison:
    """The two versions in the query string; default: the latest two."""
    versions = list(campaign.qrels.values_list("version", flat=True)[:2])
    if not versions:
        raise Http404("no version to compare")
    requested = {"before": versions[-1], "after": versions[0]}
    for name in requested:
        if value := request.GET.get(name, ""):
            requested[name] = read_digits(value, 9) or 0
    before, after = (get_object_or_404(campaign.qrels, version=v) for v in requested.values())
    return compare_qrels_versions(before, after)


@share_reads
def list_page(
    request: SignedInRequest, campaign: Campaign, form: QrelsForm, name: str
) -> HttpResponse:
    as_of = form.cleaned_data.get("as_of") if form.is_bound and form.is_valid() else None
    offered = list(dict.fromkeys([name, *list_offered_policies(campaign)]))
    try:
        drafts = preview_policies(
            actor=request.user, campaign=campaign, policies=offered, as_of=as_of
        )
    except ActionRefused as refused:
        if form.is_bound:
            form.add_error(None, str(refused))
        else:
            messages.error(request, str(refused))
        offered = list_offered_policies(campaign)
        drafts = preview_policies(actor=request.user, campaign=campaign, policies=offered)
    draft = drafts[0]
    newest = campaign.qrels.first()
    page = {
        "campaign": campaign,
        "newest": newest,
        "newer": count_newer_judgments(newest) if newest else 0,
        "form": form,
        "parts": form.data if form.is_bound else form.initial,
        "selected": draft.policy.card,
        "versions": add_audience(campaign.qrels.all()),
        "draft": draft,
        "moment": as_of,
        "counts": [
            (value, count, 100 * count / draft.pairs) for value, count in draft.grades.items()
        ],
        "judged": draft.judged,
        "has_propagated": has_propagated_grades(campaign),
        "undecided": draft.conflicts[:MAX_LISTED],
        "no_estimate": NO_ESTIMATE,
        "study_policy": CROWD + find_study_model(campaign),
        "policies": policy_table_rows(drafts),
        "grade_columns": list_grade_columns(drafts),
        "grades": {grade.value: grade for grade in campaign.grades.all()},
    }
    return render_page(request, "judging/qrels_list.html", page)


def list_offered_policies(campaign: Campaign) -> list[str]:
    """The policies compared: the rules, with adjudication and automatic assessors, and without
    propagated grades, if present.
    """
    adjudicated = Judgment.objects.filter(campaign=campaign, purpose=Purpose.ADJUDICATE).exists()
    names = list(POLICIES if adjudicated else RULES)
    if has_propagated_grades(campaign):
        names += [name + NOT_PROPAGATED for name in names]
    automatic = campaign.automatic_assessors.values_list("name", flat=True)
    return names + [f"automatic:{name}" for name in automatic]


def list_grade_columns(drafts: list[QrelsDraft]) -> list[int]:
    """The grades that any of the policies gives, ascending."""
    return sorted({value for draft in drafts for value in draft.grades})


def policy_table_rows(drafts: list[QrelsDraft]) -> list[dict[str, object]]:
    """One row per policy: pairs by grade, and pairs that differ from the selected policy."""
    selected = drafts[0]
    values = list_grade_columns(drafts)
    position = {name: at for at, name in enumerate(POLICIES)}
    ordered = sorted(drafts, key=lambda draft: position.get(draft.policy.name, len(position)))
    return [
        {
            "card": draft.policy.card,
            "label": draft.policy.label,
            "is_selected": draft is selected,
            "values": values,
            "counts": [draft.grades.get(value, 0) for value in values],
            "pairs": draft.pairs,
            "conflicts": len(draft.conflicts),
            "ties": draft.decided_by_tie_rule,
            "differs": draft.count_differing(selected),
        }
        for draft in ordered
    ]


@require_safe
@share_reads
def qrels_policies_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Grades under each policy, how unsure it is, and the pairs that differ between any two."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    current = get_report(campaign, COMPARED)
    comparison: PolicyComparison | None = current.report
    scale = comparison.scale if comparison else ()
    page = {
        "campaign": campaign,
        "comparison": comparison,
        "summaries": [
            (get_policy(row.name).card, row, [row.grades.get(value, 0) for value in scale])
            for row in (comparison.policies if comparison else ())
        ],
        "differences": comparison.list_differences() if comparison else [],
        "skipped": comparison.skipped if comparison else (),
        "most": MOST_LABELS,
        "grades": {grade.value: grade for grade in campaign.grades.all()},
        "state": current,
    }
    return render_page(request, "judging/qrels_policies.html", page)


@require_safe
def qrels_policies_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    """The same as a file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    # The latest one, as of its time; computed here only if there is none.
    stored = find_report(campaign, COMPARED) or compute_report(campaign, COMPARED)
    as_of = stored.computed_at.isoformat(timespec="seconds") if stored.computed_at else ""
    return report_response(f"{slug}-policies.{fmt}", COMPARISON_FORMATS, stored.report, as_of)


@require_safe
def qrels_aggregation_view(
    request: SignedInRequest, slug: str, version: int, records: str
) -> HttpResponse:
    """The posterior of each pair, or the workers, as kept with the version."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    qrels = get_object_or_404(campaign.qrels, version=version)
    aggregation = qrels.manifest.get("aggregation")
    if aggregation is None or records not in RECORDS:
        raise Http404("no such file")
    name = f"{slug}-qrels-{version}-{records}.csv"
    return attachment_response(store.get_blob(aggregation[f"{records}_file"]), name)
