"""Language tags, and the direction in which a language is written."""

import re

MAX_TAG = 35
"""Characters of a tag that every program keeps (RFC 5646, 4.4.1)."""

_TAG = re.compile(
    r"[a-z]{2,3}(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*"
    r"(?:-x(?:-[a-z0-9]{1,8})+)?",
    re.IGNORECASE | re.ASCII,
)
_SCRIPT = re.compile(r"-([a-z]{4})(?=-|$)")
_RIGHT_TO_LEFT_SCRIPTS = {
    "adlm", "arab", "aran", "hebr", "mand", "mend", "nkoo", "rohg", "samr", "syrc", "thaa",
}  # fmt: skip
_RIGHT_TO_LEFT = {
    *("acm", "aeb", "ajp", "apc", "apd", "ar", "ara", "arb", "arc", "ars", "ary", "arz", "azb"),
    *("bal", "ckb", "div", "dv", "fa", "fas", "glk", "he", "heb", "iw", "khw", "lrc", "mzn", "nqo"),
    *("pbt", "pes", "pnb", "prs", "ps", "pus", "sd", "skr", "snd", "syr", "ug", "uig", "ur", "urd"),
    *("ydd", "yi", "yid"),
}
"""Languages written from right to left unless their tag names another script."""


def is_language_tag(text: str) -> bool:
    """Whether ``text`` has the form of a language tag (BCP 47): ``fa``, ``zh-Hant``, ``zho``. Names
    of languages of more than three letters, which no registry has, are none.
    """
    return len(text) <= MAX_TAG and _TAG.fullmatch(text) is not None


def get_direction(tag: str) -> str:
    """``ltr``, ``rtl``, or ``auto`` without a tag: each paragraph by its first letter."""
    language, *_ = (lower := tag.lower()).split("-")
    if not language:
        return "auto"
    script = _SCRIPT.search(lower)
    if script is not None:
        return "rtl" if script[1] in _RIGHT_TO_LEFT_SCRIPTS else "ltr"
    return "rtl" if language in _RIGHT_TO_LEFT else "ltr"
