"""Every address that a page of a campaign had before the groups leads to where it is now."""

from __future__ import annotations

import pytest
from django.urls import resolve

from workbench.old_addresses import MOVES

OLD = """
adjudication/                           adjudication
adjudication/round/                     round-open
adjudication/round/7/end/               round-end
adjudication/disputes.csv               disagreements-download
adjudication/meeting/                   consensus
adjudication/meeting/pair/              consensus-pair
adjudication/meeting/take-back/         consensus-undo
agreement/                              agreement
agreement/pair/                         agreement-pair
agreement/topics/                       agreement-topics
agreement/variation/                    agreement-variation
agreement/variation.csv                 agreement-variation-download
agreement/assessors/                    assessor-quality
agreement/agreement.json                agreement-download
agreement/topics.csv                    agreement-topics-download
agreement/assessors.csv                 assessor-quality-download
collection/                             reusability
collection/7/report.json                reusability-report
crowd/                                  studies
crowd/new/                              study-new
crowd/gold/                             study-gold
crowd/practice/                         study-practice
crowd/7/                                study
crowd/7/edit/                           study-edit
crowd/7/start/                          study-start
crowd/7/pause/                          study-pause
crowd/7/stop/                           study-stop
crowd/7/extend/                         study-extend
crowd/7/labels/                         study-more-labels
crowd/7/payments/                       study-payments
crowd/7/payments.csv                    study-payments-download
crowd/7/payments/3/bonus/               study-bonus
crowd/7/payments/lists/approve.csv      study-provider-list
crowd/7/payments/reconcile/             study-reconcile
crowd/7/workers/                        study-workers
crowd/7/workers.csv                     study-workers-download
crowd/7/workers/aside/                  study-worker-aside
crowd/7/workers/undo/3/                 study-worker-undo
crowd/7/workers/3/                      study-worker
crowd/7/keys/                           study-keys
crowd/7/try/                            study-try
crowd/7/try/submissions.csv             study-try-download
disagreement/                           disagreement-effect
disagreement/round/                     disagreement-round
disagreement/pairs.csv                  disagreement-download
documents/                              documents
documents/import/                       documents-import
documents/delete/                       documents-delete
documents/view/                         document
documents/body/                         document-body
guidelines/                             guidelines
log/                                    events
preferences/                            comparison-plans
preferences/new/                        comparison-plan-new
preferences/plan/7/                     comparison-plan
preferences/plan/7/pause/               comparison-plan-pause
preferences/plan/7/reopen/              comparison-plan-reopen
preferences/plan/7/close/               comparison-plan-close
preferences/clicks/                     click-logs
preferences/clicks/import/              click-log-import
preferences/results/                    preference-results
preferences/results/shares.csv          preference-results-download
qrels/                                  qrels-list
qrels/freeze/                           qrels-freeze
qrels/compare/                          qrels-compare
qrels/changes.csv                       qrels-changes
qrels/policies/                         qrels-policies
qrels/policies.csv                      qrels-policies-download
qrels/7/aggregation-pairs.csv           qrels-aggregation
qrels/7/                                qrels
qrels/7/qrels.txt                       qrels-download
scores/                                 scores
scores/evaluate/                        score-evaluate
scores/now/                             interim-scores
scores/7/                               score-set
scores/7/release/                       score-release
scores/7/compare/                       compare
scores/7/pairs/                         pairs
scores/7/pairs.csv                      pairs-download
scores/7/measures/                      measures-compared
scores/7/scores.csv                     score-set-download
scores/7/run/3/                         run-scores
scores/7/run/3/scores.txt               run-scores-download
settings/                               campaign-settings
settings/visibility/                    visibility-change
simulation/                             simulation
simulation/7/report.csv                 simulation-report
stopping/                               stopping
stopping/panel.json                     stopping-download
topics/                                 topics
topics/import/                          topics-import
topics/delete/                          topics-delete
topics/view/CF/1/                       topic
"""
ROWS = [line.split() for line in OLD.strip().splitlines()]


@pytest.mark.parametrize(("address", "name"), ROWS)
def test_an_old_address_leads_to_the_page_of_today(client, address, name):
    answer = client.get(f"/c/small/{address}?a=1&b=x%20y")
    assert answer.status_code == 301
    path, _, query = answer["Location"].partition("?")
    assert resolve(path).url_name == name
    assert query == "a=1&b=x%20y"
    assert client.head(f"/c/small/{address}").status_code == 301


def test_every_move_is_tried():
    assert {address.split("/")[0] for address, _ in ROWS} == set(MOVES)


def test_a_form_that_was_open_is_sent_again(client):
    answer = client.post("/c/small/settings/", {"title": "New"})
    assert (answer.status_code, answer["Location"]) == (308, "/c/small/setup/")


def test_odd_old_addresses(client):
    assert client.get("/c/small/qrels")["Location"] == "/c/small/results/qrels/"
    answer = client.get("/c/small/topics/view/na%C3%AFve%3F%25/")
    assert answer["Location"] == "/c/small/setup/topics/view/na%C3%AFve%3F%25/"
    answer = client.get("/c/small/documents/view/", {"docno": "a/b&c"})
    assert answer["Location"] == "/c/small/setup/documents/view/?docno=a%2Fb%26c"


def test_words_that_only_begin_alike_are_left_alone(client):
    assert client.get("/c/small/topicsx/").status_code in (302, 404)
