"""The texts of a page that are the same in German as in English."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser

from django.test import Client

from campaigns.models import Campaign, User
from poolbench.evaluation.measures.titles import format_full_title, format_measure_title
from tests.pages import read_page
from tests.translation.sources import forms_of, key_of, messages

READ_ALOUD = {
    "aria-label", "title", "placeholder", "alt", "data-of", "data-local", "data-label", "data-cue",
    "data-own", "data-show-columns", "data-one-column", "data-more-columns", "data-copy",
    "data-copied",
}  # fmt: skip
"""Attributes with words for people; what all others hold is for programs."""
VOID = {"input", "br", "img", "meta", "link", "hr", "col"}
OWN = {"lang", "csrfmiddlewaretoken", "client_uuid", "key", "aria-pressed"}
SAME = {
    "Poolbench", "Poolbench 0.1.0", "doccano", "Label Studio", "poolbench check-run",
    "sha256sum --check sha256sums.txt", "manage.py reset_link USERNAME",
    "Version", "Code", "Apache-2.0", "English", "Deutsch", "API",
    "CSV", "JSON", "JSONL", "qrels", "Esc", "Enter", "Aa", "sha256", "SHA-256", "UTC",
    "Authorization: Token …", "TREC", "trec_eval", "poolbench-1", "vs.", "LaTeX", "Markdown",
    "BibTeX", "PNG", "SVG",
}  # fmt: skip
"""What is not a word of either language."""
STATUS = {"/nowhere/": 404, "/join/nonsense/": 404, "/c/small/setup/": 403,
          "/c/small/judge-undo/": 405}  # fmt: skip
DIGEST = re.compile(r"\b[0-9a-f]{12,64}\b")


class Words(HTMLParser):
    """The texts of a page and of its spoken attributes; apart from them what programs read.

    What is marked as English is left out: the glossary, and what the library writes.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.values: list[tuple[str, str, str | None]] = []
        self.skipping = ""
        self.english: list[bool] = []  # Of each open tag, from the first that is English.
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag not in VOID and (self.english or (tag != "html" and told.get("lang") == "en")):
            self.english.append("lang" not in told or told["lang"] == "en")
        if tag in ("script", "style", "option") and not told.get("value", "x"):
            return
        self.skipping = tag if tag in ("script", "style", "pre") else ""
        if self.english[-1:] != [True]:
            self.texts += [told[name] or "" for name in READ_ALOUD & set(told)]
        if told.get("name") not in OWN:
            self.values += [
                (tag, name, value) for name, value in attrs if name not in READ_ALOUD | OWN
            ]

    def handle_endtag(self, tag: str) -> None:
        if self.english and tag not in VOID:
            self.english.pop()

    def handle_data(self, data: str) -> None:
        if not self.skipping and self.english[-1:] != [True]:
            self.texts.append(data)

    def words(self) -> set[str]:
        """Every text with two letters in a row."""
        bare = (" ".join(text.split()) for text in self.texts)
        return {text for text in bare if re.search(r"[^\W\d_]{2}", text)}


def page(client: Client, url: str, language: str) -> str:
    answer = client.get(url, headers={"accept-language": language})
    assert answer.status_code == STATUS.get(url, 200), url
    text = read_page(answer)
    assert f'<html lang="{language}" dir="ltr"' in text, url
    return text


def contents(campaign: Campaign) -> set[str]:
    """What members wrote, and names, also of measures: the same in every language."""
    measures = {name for each in campaign.score_sets.all() for name in each.measures}
    rows = [
        [(format_full_title(name), format_measure_title(name)) for name in measures],
        campaign.topics.values_list("number", "title", "description", "narrative"),
        campaign.documents.values_list("docno", "title", "body"),
        campaign.grades.values_list("label", "meaning", "key"),
        User.objects.values_list("username", "first_name", "email"),
        campaign.events.values_list("subject"),
        campaign.runs.values_list("tag", "file_name", "sha256", "team__name"),
        [(campaign.title, campaign.slug, "Zweck.", "Leitsatz.", "Anmerkung", "none")],
    ]
    return {str(text) for row in rows for values in row for text in values}


def is_content(text: str, told: list[str]) -> bool:
    """Is the text put together out of what members wrote, longest first, and figures and marks?"""
    text = DIGEST.sub("", text)
    for each in told:
        text = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", "", text) if each in text else text
    return not re.search(r"[^\W\d_]{2}", text)


def same_in_both() -> set[str]:
    return {key_of(m)[1] for m in messages("de") if forms_of(m)[0] == key_of(m)[1]}


def find_english(client: Client, campaign: Campaign, urls: Iterable[str]) -> dict[str, list[str]]:
    """The texts of each page that are the same in both languages, but for those of members."""
    found = {
        url: list_english(campaign, *(page(client, url, code) for code in ("en", "de")))
        for url in urls
    }
    return {url: texts for url, texts in found.items() if texts}


def list_english(campaign: Campaign, english_page: str, german_page: str) -> list[str]:
    told = sorted(contents(campaign) | same_in_both() | SAME, key=len, reverse=True)
    english, german = Words(english_page), Words(german_page)
    assert set(german.values) ^ set(english.values) == set()
    both = english.words() & german.words()
    return sorted(text for text in both if not is_content(text, told))
