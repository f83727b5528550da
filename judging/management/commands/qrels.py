"""``manage.py qrels ACTION SLUG``: list, preview, freeze, verify, compare and export qrels."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from campaigns import store
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign, list_named_campaigns
from campaigns.management.import_command import get_organizer
from campaigns.models import Campaign, User
from judging.models import Qrels
from judging.queries.qrels_versions import compare_qrels_versions, format_qrels_changes
from judging.services.qrels import freeze_qrels, preview_policies, verify_qrels
from poolbench.files.faults import format_count
from poolbench.judging.policies import POLICIES

Options = dict[str, Any]
VERIFY = "verify"
"""The one action that needs no campaign: then it looks at all of them."""
RENAMED = {"release": "freeze"}
"""Former names of actions, still accepted."""


class Command(BaseCommand):
    help = "List, preview, freeze, verify, compare and export the qrels of a campaign."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add(
            "action",
            type=lambda name: RENAMED.get(name, name),
            choices=(*ACTIONS, VERIFY),
            help="list: the versions; policies: preview every policy; freeze: create a version;"
            " verify: rebuild and compare with the log; compare: grades that differ between two"
            " versions; text, manifest: print the file or its manifest",
        )
        add(
            "slug",
            metavar="SLUG",
            nargs="?",
            help="short name of the campaign (verify: default all)",
        )
        add("versions", metavar="VERSION", nargs="*", type=int, help="numbers of qrels versions")
        add("--policy", help="how several judgments become one grade (freeze, policies)")
        add(
            "--as-of",
            metavar="TIME",
            help="use judgments up to this time, e.g. 2026-11-21T12:00, UTC (default: now)",
        )
        add(
            "--confirm",
            metavar="CODE",
            nargs="+",
            default=[],
            help="override these open matters, e.g. judging-open (freeze); without it, freezing"
            " stops and lists what is open",
        )
        add("--note", default="", help="purpose of the qrels version")
        add("--as", dest="username", help="act as this organizer (default: the first one)")
        add("--output", metavar="FILE", help="write to this file instead of standard output")

    def act(self, options: Options) -> str:
        if not options["slug"]:
            raise CommandError("Missing argument: SLUG.")
        campaign = get_campaign(options["slug"])
        actor = get_organizer(campaign, options["username"])
        try:
            return ACTIONS[options["action"]](campaign, actor, options)
        except ActionRefused as refused:
            raise CommandError(str(refused)) from refused

    def handle(self, **options: Any) -> None:
        text = verify_versions(options) if options["action"] == VERIFY else self.act(options)
        if options["output"]:
            Path(options["output"]).write_bytes(text.encode())
        else:
            self.stdout.write(text, ending="")


def format_version_list(campaign: Campaign, _: User, __: Options) -> str:
    """One line per qrels version, newest first."""
    lines = [
        f"{q.version}\t{q.policy}\t{q.pairs}\t{q.as_of.isoformat()}\t{q.sha256}"
        f"\t{q.label or '-'}\t{q.note}"
        for q in campaign.qrels.all()
    ]
    return align_columns("version\tpolicy\tpairs\tas_of\tsha256\tlabel\tnote", lines)


def format_policies(campaign: Campaign, actor: User, options: Options) -> str:
    """The grades under each policy, and how many pairs differ from the first."""
    names = list(dict.fromkeys([options["policy"] or "majority", *POLICIES]))
    drafts = preview_policies(
        actor=actor, campaign=campaign, policies=names, as_of=parse_moment(options["as_of"])
    )
    lines = []
    for draft in drafts:
        grades = " ".join(f"{grade}:{count}" for grade, count in draft.grades.items())
        differ = draft.count_differing(drafts[0])
        ties = "-" if draft.decided_by_tie_rule is None else draft.decided_by_tie_rule
        pairs = (draft.pairs, len(draft.conflicts), ties, differ)
        row = (draft.policy.name, *pairs, draft.policy.label or "-", grades)
        lines.append("\t".join(map(str, row)))
    return align_columns("policy\tpairs\tundecided\tby tie rule\tdiffer\tlabel\tgrades", lines)


def freeze_version(campaign: Campaign, actor: User, options: Options) -> str:
    if not options["policy"]:
        raise CommandError("Missing option: --policy.")
    qrels = freeze_qrels(
        actor=actor, campaign=campaign, policy=options["policy"], note=options["note"],
        as_of=parse_moment(options["as_of"]), decision=Decision(frozenset(options["confirm"])),
    )  # fmt: skip
    ties = qrels.manifest["decided_by_tie_rule"]
    by_rule = f" Decided by the tie rule: {format_count(ties, 'pair')}." if ties else ""
    return (
        f"Frozen: {qrels}, {format_count(qrels.pairs, 'pair')} by {qrels.policy}, "
        f"sha256 {qrels.sha256}.{by_rule}\n"
    )


def verify_versions(options: Options) -> str:
    """Rebuild qrels versions from the log and compare; all versions if none is named, and those of
    all campaigns if none is named.
    """
    versions = [
        qrels
        for campaign in list_named_campaigns(options["slug"])
        for qrels in (
            get_versions(campaign, options) if options["versions"] else campaign.qrels.all()
        )
    ]
    same = [verify_qrels(qrels) for qrels in versions]
    lines = [
        f"{'' if options['slug'] else f'{qrels.campaign.slug}: '}{qrels}: "
        f"{'identical' if known else 'DIFFERS from the log'}"
        for qrels, known in zip(versions, same, strict=True)
    ]
    if not all(same):
        raise CommandError("\n".join(lines))
    return "".join(f"{line}\n" for line in lines) or "No qrels versions.\n"


def format_comparison(campaign: Campaign, _: User, options: Options) -> str:
    """One line per pair whose grade differs between two qrels versions."""
    versions = get_versions(campaign, options)
    if len(versions) != 2:
        raise CommandError("Specify two qrels versions: before and after.")
    return format_qrels_changes(compare_qrels_versions(*versions))


def format_qrels(campaign: Campaign, _: User, options: Options) -> str:
    return store.get_blob(get_version(campaign, options).path).decode()


def format_manifest(campaign: Campaign, _: User, options: Options) -> str:
    qrels = get_version(campaign, options)
    manifest = {
        "version": qrels.version,
        "sha256": qrels.sha256,
        "label": qrels.label,
        "note": qrels.note,
    } | qrels.manifest
    return json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"


def get_version(campaign: Campaign, options: Options) -> Qrels:
    versions = get_versions(campaign, options)
    if len(versions) != 1:
        raise CommandError("Specify one qrels version by its number.")
    return versions[0]


def get_versions(campaign: Campaign, options: Options) -> list[Qrels]:
    by_number = {qrels.version: qrels for qrels in campaign.qrels.all()}
    missing = [version for version in options["versions"] if version not in by_number]
    if missing:
        versions = ", ".join(map(str, sorted(by_number))) or "none"
        raise CommandError(
            f"{campaign.slug} has no qrels version {missing[0]}; versions: {versions}."
        )
    return [by_number[version] for version in options["versions"]]


def parse_moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(f"{text} is not a valid timestamp; use 2026-11-21T12:00[:00].")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)


def align_columns(head: str, lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in [head, *lines])


ACTIONS: dict[str, Callable[[Campaign, User, Options], str]] = {
    "list": format_version_list,
    "policies": format_policies,
    "freeze": freeze_version,
    "compare": format_comparison,
    "text": format_qrels,
    "manifest": format_manifest,
}
