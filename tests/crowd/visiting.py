"""What a worker's browser does, from the link to the receipt."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from crowd.services.keys import make_fake_link
from tests.pages import read_page


def at_once(act):
    """A test with threads: SQLite has one writer, and its tests one connection."""
    for mark in (
        pytest.mark.django_db(transaction=True),
        pytest.mark.postgresql,
        pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer"),
    ):
        act = mark(act)
    return act


def make_task(study, worker="p1", uid="s1", minutes=60.0, **more):
    expires = timezone.now() + timedelta(minutes=minutes)
    return make_fake_link(study=study, worker=worker, unit=uid, expires=expires, **more)


def enter(visitor, link):
    """Open a link; the address of the unit."""
    response = visitor.get(link)
    assert response.status_code == 303, read_page(response)
    return response["Location"]


def read_hidden(page):
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def begin(visitor, path):
    visitor.post(path + "consent/", {"version": "1", "agree": "1"})
    assert visitor.post(path + "begin/").status_code == 303


def answer(visitor, path, grade="2"):
    fields = read_hidden(read_page(visitor.get(path)))
    return visitor.post(path + "answer/", {**fields, "grade": grade})


def work(visitor, link, grade="2"):
    """From the link to the receipt."""
    path = enter(visitor, link)
    begin(visitor, path)
    while "uuid" in read_hidden(read_page(visitor.get(path))):
        answer(visitor, path, grade)
    assert visitor.post(path + "finish/").status_code == 303
    return path
