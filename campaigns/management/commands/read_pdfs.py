"""Read the text of PDF documents that were imported without it."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from campaigns.models import Campaign
from campaigns.services.duplicates import request_duplicates
from campaigns.services.pdf_layouts import read_unread_pdfs
from poolbench.texts.pdf_pages import can_read_pdf


class Command(BaseCommand):
    help = (
        "Read the text of PDF documents that were imported without the extra pdf, or from an "
        "archive. Documents that have been read stay as they are."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", nargs="*", help="short names (default: all campaigns)")

    def handle(self, *, campaign: list[str], **_options: object) -> None:
        if not can_read_pdf():
            raise CommandError("PDF files cannot be read here: install the extra pdf.")
        campaigns = Campaign.objects.order_by("slug")
        if campaign:
            campaigns = campaigns.filter(slug__in=campaign)
        for row in campaigns:
            outcomes = list(read_unread_pdfs(row))
            for document, reason in outcomes:
                if reason:
                    self.stderr.write(f"{row.slug} {document.docno}: {reason}")
            count = sum(not reason for _, reason in outcomes)
            if outcomes:
                with transaction.atomic():
                    request_duplicates(row)
                self.stdout.write(f"{row.slug}: {count} of {len(outcomes)} PDFs read")
