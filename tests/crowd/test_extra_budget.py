"""The extra budget: what was requested stays requested."""

from decimal import Decimal

import pytest

from campaigns.models import Grade
from crowd.queries.unsure_pairs import UnsurePreview, load_study_labels, preview_unsure_pairs
from crowd.services import studies
from judging.models import Plan
from judging.queries.aggregation import load_label_matrix
from tests.crowd.crowd_work import make_crowd
from tests.crowd.worker_study import make_study

pytestmark = pytest.mark.django_db


def test_a_higher_redundancy_does_not_refill_the_budget(campaign, organizer, monkeypatch):
    study = make_study(campaign, extra_budget=5)
    Plan.objects.filter(pk=study.plan_id).update(max_overlap=4)
    study.refresh_from_db()
    items = tuple(study.plan.pool.items.order_by("pk").values_list("pk", flat=True)[:3])
    unsure = UnsurePreview(
        pairs=(), items=items, budget=5, requested=0, cost=Decimal(0), currency="EUR", model="x"
    )
    monkeypatch.setattr(studies, "preview_unsure_pairs", lambda _study: unsure)
    assert studies.request_more_labels(actor=organizer, study=study) == 3
    Plan.objects.filter(pk=study.plan_id).update(overlap=3)
    study.refresh_from_db()
    preview = preview_unsure_pairs(study)
    assert (preview.requested, preview.left) == (3, 2)


def test_models_have_the_scale_of_policies(campaign):
    """A grade below 0 is none of which a model chooses, in a study as in the qrels."""
    Grade.objects.create(campaign=campaign, value=-1, label="unreadable", key="u", gain=0)
    study = make_study(campaign)
    make_crowd(study, ["good", "good"])
    scale = load_study_labels(study).scale
    assert scale == load_label_matrix(campaign).scale
    assert min(scale) == 0
