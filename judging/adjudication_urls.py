"""Addresses of adjudication; part of ``judging.urls``."""

from __future__ import annotations

from django.urls import path

from judging.views import adjudicating, adjudication, meeting

urlpatterns = [
    path("c/<slug:slug>/adjudication/", adjudication.adjudication, name="adjudication"),
    path("c/<slug:slug>/adjudication/round/", adjudication.round_open, name="round-open"),
    path(
        "c/<slug:slug>/adjudication/round/<int:pk>/end/", adjudication.round_end, name="round-end"
    ),
    path("c/<slug:slug>/adjudication/disputes.csv", adjudication.disputes_file, name="disputes"),
    path("c/<slug:slug>/adjudication/meeting/", meeting.meeting, name="meeting"),
    path("c/<slug:slug>/adjudication/meeting/pair/", meeting.pair, name="meeting-pair"),
    path(
        "c/<slug:slug>/adjudication/meeting/take-back/", meeting.take_back, name="meeting-take-back"
    ),
    path("c/<slug:slug>/adjudicate/", adjudicating.adjudicate, name="adjudicate"),
    path("c/<slug:slug>/adjudicate/skip/", adjudicating.pass_over, name="adjudicate-skip"),
    path("c/<slug:slug>/adjudicate/undo/", adjudicating.take_back, name="adjudicate-undo"),
]
