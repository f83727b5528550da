"""The fake provider: a platform inside Poolbench, for trials, lessons and tests."""

from collections.abc import Mapping

from poolbench.cards import Card
from poolbench.crowd.providers.base import Provider, ReturnForm, Settings
from poolbench.crowd.providers.signed_links import read_signed_arrival

FAKE_KID = "fake"
"""The key ID of the fake platform's links. No other key is called so."""
CODES = {"completed": "FAKE-DONE", "screened": "FAKE-SCREENED", "failed": "FAKE-FAILED"}
RETURN_PATH = "return/"
"""Where the fake platform receives workers, below the path of the study's link."""
CARD = Card(
    name="fake",
    title="Fake provider",
    formula="as for signed links, with a key of the campaign that only Poolbench knows",
    reading="A platform to try a study with: previews, accepts, returns and records submissions.",
    source="Poolbench.",
    range="a link opens the study, or is refused with a code",
    edge_cases=(
        "On a draft of a study of any provider, its units are trials: never counted, never paid.",
        "A study whose provider is the fake one can run for real, for instance in a lesson.",
    ),
)


def make_fake_return(
    settings: Settings, outcome: str, fields: Mapping[str, str]
) -> ReturnForm | None:
    """A form to the fake platform, whose address is ``settings["platform_url"]``."""
    url = str(settings.get("platform_url", ""))
    if not url:
        return None
    sent = {"uid": fields["unit"], "code": CODES[outcome], "receipt": fields["receipt"]}
    return ReturnForm("post", url, sent)


PROVIDER = Provider(
    "fake", "Fake provider", CARD, (), read_signed_arrival, make_fake_return,
    find_code=lambda _settings, outcome: CODES[outcome],
)  # fmt: skip
