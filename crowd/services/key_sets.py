"""Fetching the key sets of providers: in the background, at least daily, never for a request."""

import socket
import ssl
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus
from http.client import HTTPException, HTTPSConnection
from ipaddress import IPv6Network, ip_address
from socket import SOCK_STREAM
from threading import Timer
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Job
from campaigns.services import jobs
from crowd.models import ProviderEvent, Study
from crowd.queries.keys import KEY_SET, find_latest_key_set
from poolbench.crowd.providers.key_sets import MAX_KEY_SET, parse_key_set

FETCH_TASK = "crowd.fetch_key_set"
FETCH_SECONDS, MOST_SECONDS = 10.0, 30.0
"""For each step of a fetch, and for all of it."""
TRANSLATED = tuple(
    IPv6Network(each)
    for each in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::ffff:0:0/96")
)
"""IPv6 addresses that stand for an IPv4 address (NAT64, 6to4, Teredo, mapped)."""
MAX_AGE = timedelta(hours=12)
"""An older key set is fetched again; twice a day, so that one failure does not matter."""
RETRY_AFTER = timedelta(minutes=30)


def request_key_sets() -> int:
    """Enqueue a fetch for each study whose key set is missing or old; return how many."""
    now = timezone.now()
    states = (Study.State.DRAFT, Study.State.RUNNING, Study.State.PAUSED)
    studies = Study.objects.filter(provider="prolific", state__in=states)
    requested = 0
    for study in studies.select_related("campaign"):
        latest = find_latest_key_set(study)
        is_fresh = latest is not None and latest.received_at > now - MAX_AGE
        if is_fresh or not study.provider_settings.get("key_set_url"):
            continue
        tried = study.campaign.jobs.filter(
            kind=FETCH_TASK, args__study=study.pk, created_at__gt=now - RETRY_AFTER
        )
        if not tried.exists():
            request_key_set(study)
            requested += 1
    return requested


def request_key_set(study: Study) -> Job:
    with transaction.atomic():
        return jobs.enqueue_once(
            campaign=study.campaign, kind=FETCH_TASK, actor=None, study=study.pk
        )


def perform_key_set_fetch(job: Job) -> None:
    """Fetch the key set of a study and keep it with its date."""
    study = Study.objects.get(pk=job.args["study"], campaign=job.campaign)
    url = str(study.provider_settings.get("key_set_url", ""))
    try:
        document = parse_key_set(fetch_text(url))
    except (OSError, ValueError) as error:
        message = f"The key set could not be fetched from {url}: {error}"
        raise ActionRefused(
            "no-key-set", message, "Check the address, or paste the set."
        ) from error
    with transaction.atomic():
        now = timezone.now()
        ProviderEvent.objects.create(
            study=study, event_id=f"{KEY_SET} {now.isoformat()}", kind=KEY_SET, body=document
        )
        jobs.finish_job(job, keys=len(document["keys"]))


def fetch_text(url: str) -> str:
    """The text at an https address of the public internet, in ``MOST_SECONDS`` at most.

    No proxy and no redirect; the connection goes to an address that was checked. ``ValueError`` for
    any other address or answer, ``OSError`` if the connection fails.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.username is not None:
        raise ValueError("use an address with https://")
    if parts.port not in (None, 443):
        raise ValueError("use port 443")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = CheckedConnection(parts.hostname, find_public_address(parts.hostname))
    timer = Timer(MOST_SECONDS, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        if response.status != HTTPStatus.OK:
            raise ValueError(f"the answer is {response.status}")
        return response.read(MAX_KEY_SET + 1).decode()
    except HTTPException as error:
        raise ValueError("the answer cannot be read") from error
    finally:
        timer.cancel()
        connection.close()


class CheckedConnection(HTTPSConnection):
    """A connection to one ``address`` of ``host``, whose certificate is that of the host."""

    def __init__(self, host: str, address: str) -> None:
        self.address, self.context = address, ssl.create_default_context()
        super().__init__(host, 443, timeout=FETCH_SECONDS, context=self.context)

    def connect(self) -> None:
        plain = socket.create_connection((self.address, 443), FETCH_SECONDS)
        self.sock = plain
        self.sock = self.context.wrap_socket(plain, server_hostname=self.host)

    def cut(self) -> None:
        """End whatever is waiting for the other side."""
        if self.sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def find_public_address(host: str) -> str:
    """An address of ``host``. ``ValueError`` unless all of them are public: never this machine or
    its network.
    """
    addresses = [str(info[4][0]) for info in socket.getaddrinfo(host, 443, type=SOCK_STREAM)]
    if not addresses or not all(is_public_address(each) for each in addresses):
        raise ValueError("the host is not on the public internet")
    return addresses[0]


def is_public_address(text: str) -> bool:
    """Whether an IP address is of one machine on the internet, and leads to no other address."""
    address = ip_address(text.partition("%")[0])
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    return address.version == 4 or not any(address in network for network in TRANSLATED)
