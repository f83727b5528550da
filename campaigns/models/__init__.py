"""The shared task: members and teams, topics and documents, runs, events and jobs; API tokens."""

from campaigns.models.append_only import AppendOnlyModel
from campaigns.models.campaign import (
    Campaign,
    Erratum,
    Grade,
    Guideline,
    Terms,
    TermsAcceptance,
    random_seed,
)
from campaigns.models.collection import Collection, Document, PdfLayout, Topic, Translation
from campaigns.models.data_files import DataFile, DataFileVersion, PublicPage
from campaigns.models.duplicates import Duplicate, TextSignature
from campaigns.models.history import (
    Event,
    Job,
    JobPart,
    ProcessHeartbeat,
    Removal,
    Snapshot,
    StoreMarker,
)
from campaigns.models.mail import Mail
from campaigns.models.people import (
    ApiToken,
    Invitation,
    Member,
    Role,
    Scope,
    Team,
    TeamRequest,
    User,
)
from campaigns.models.runs import PairChunk, Run
from campaigns.models.tasks import CampaignTask

__all__ = [
    "ApiToken",
    "AppendOnlyModel",
    "Campaign",
    "CampaignTask",
    "Collection",
    "DataFile",
    "DataFileVersion",
    "Document",
    "Duplicate",
    "Erratum",
    "Event",
    "Grade",
    "Guideline",
    "Invitation",
    "Job",
    "JobPart",
    "Mail",
    "Member",
    "PairChunk",
    "PdfLayout",
    "ProcessHeartbeat",
    "PublicPage",
    "Removal",
    "Role",
    "Run",
    "Scope",
    "Snapshot",
    "StoreMarker",
    "Team",
    "TeamRequest",
    "Terms",
    "TermsAcceptance",
    "TextSignature",
    "Topic",
    "Translation",
    "User",
    "random_seed",
]
