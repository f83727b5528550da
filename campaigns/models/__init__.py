"""The shared task: members and teams, topics and documents, runs, events and jobs; API tokens."""

from campaigns.models.append_only import AppendOnlyModel
from campaigns.models.campaign import Campaign, Erratum, Grade, Guideline, random_seed
from campaigns.models.collection import Document, Topic
from campaigns.models.history import Event, Job, ProcessHeartbeat, Snapshot
from campaigns.models.mail import Mail
from campaigns.models.people import ApiToken, Invitation, Member, Role, Team, User
from campaigns.models.runs import PairChunk, Run
from campaigns.models.tasks import CampaignTask

__all__ = [
    "ApiToken",
    "AppendOnlyModel",
    "Campaign",
    "CampaignTask",
    "Document",
    "Erratum",
    "Event",
    "Grade",
    "Guideline",
    "Invitation",
    "Job",
    "Mail",
    "Member",
    "PairChunk",
    "ProcessHeartbeat",
    "Role",
    "Run",
    "Snapshot",
    "Team",
    "Topic",
    "User",
    "random_seed",
]
