"""The tables of an archive: which fields of which rows, in the order in which they are loaded.

Every field of a model is named here, so that a new one is not archived, or lost, by accident.
Left out are: who of the organizers did something, keys and secrets, addresses, IDs by which a
provider knows its workers, names of files in the store, and what is the same for all rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model, Q

from campaigns.models import (
    CampaignTask,
    Document,
    Erratum,
    Grade,
    Guideline,
    Member,
    Role,
    Run,
    Team,
    Terms,
    Topic,
    Translation,
)
from crowd.models import Bonus, ConsentText, CrowdWorker, GoldPair, Payment, Study, WorkUnit
from evaluation.models import EstimateFrame, RunScores, ScoreSet
from judging.models import (
    Assignment,
    AutomaticAssessor,
    Exclusion,
    Judgment,
    ModelAnswer,
    Plan,
    PromptCard,
    PromptCardRelease,
    PropagatedPair,
    Qrels,
    Slot,
    StoppedTopic,
    StoppingRule,
    TrainingPair,
)
from pooling.models import Pool, PoolEvent, PoolItem, PoolTopic
from preferences.models import (
    ClickLog,
    ClickPreference,
    Comparison,
    ComparisonPlan,
    ComparisonSlot,
    Preference,
)

Filled = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class ArchiveTable:
    """``fields`` of the rows of ``model`` are archived, those ``left_out`` are not; ``path`` leads
    from a row to its campaign. ``comments`` are fields that are empty where the archive has no
    comments, ``excerpts`` those where it has no documents. ``condition``: which rows.
    """

    name: str
    model: type[Model]
    path: str
    fields: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    excerpts: tuple[str, ...] = ()
    condition: Q = field(default_factory=Q)


def split_field_names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def define_table(
    name: str,
    model: type[Model],
    fields: str,
    left_out: str = "",
    *,
    path: str = "campaign",
    comments: str = "",
    excerpts: str = "",
    condition: Q | None = None,
) -> ArchiveTable:
    """The same from space-separated names; the campaign itself is always left out."""
    own = f"{left_out} campaign" if path == "campaign" else left_out
    return ArchiveTable(
        name,
        model,
        path,
        split_field_names(fields),
        ("id", *split_field_names(own)),
        split_field_names(comments),
        split_field_names(excerpts),
        Q() if condition is None else condition,
    )


CAMPAIGN_FIELDS = split_field_names(
    "title description guidelines website citation guideline_version last_erratum relevance_level"
    " text_layout max_runs_per_team max_docs_per_topic require_all_topics runs_deadline"
    " judging_deadline board measures test correction alpha seed created_at run_fields terms"
    " terms_version estimate_looks estimate_machines"
)
CAMPAIGN_LEFT_OUT = split_field_names(
    "id slug created_by registration reminded_at rehearsal closed_at removal_at"
)
"""The slug stands beside the fields: it may be another where the archive is loaded."""
CHECKED = Q(state__in=(Run.State.ACCEPTED, Run.State.REPLACED, Run.State.WITHDRAWN), matrix__gt="")
JUDGES = Q(role__in=(Role.ASSESSOR, Role.ADJUDICATOR))
LEASE = "k position reserved_for state assessor leased_at expires_at"

TABLES = (
    define_table("teams", Team, "name affiliation runs_deadline", "contact"),
    define_table("members", Member, "user role joined_at", "team", condition=JUDGES),
    define_table("topics", Topic, "number title description narrative withheld position"),
    define_table(
        "tasks",
        CampaignTask,
        "slug name position runs_deadline max_runs_per_team measures judged_before refuse_judged",
    ),
    define_table(
        "task_topics",
        CampaignTask.topics.through,
        "campaigntask topic",
        path="campaigntask__campaign",
    ),
    define_table("grades", Grade, "value label key gain meaning"),
    define_table("terms", Terms, "version text at", "by"),
    define_table("guidelines", Guideline, "version text sha256 at", "by"),
    define_table("errata", Erratum, "number kind name before after reason at", "by"),
    define_table(
        "documents",
        Document,
        "docno title body url date format media_type size sha256 source_sha256 language",
        "file",
    ),
    define_table(
        "translations",
        Translation,
        "document language by title body format sha256 source_sha256 segments",
        path="document__campaign",
    ),
    define_table(
        "runs",
        Run,
        "team task tag description kind priority answers ir_metadata state file_name size sha256"
        " normalised_hash lines report replaces submitted_at after_release checked_at withdrawn_at",
        "file file_removed_at upload_key matrix submitted_by",
        condition=CHECKED,
    ),
    define_table("pools", Pool, "task version spec inputs_hash size frozen_at", "frozen_by"),
    define_table(
        "pool_items",
        PoolItem,
        "pool topic docno min_rank contributors position priority stratum probability",
        path="pool__campaign",
    ),
    define_table("pool_topics", PoolTopic, "pool topic budget ended", path="pool__campaign"),
    define_table(
        "pool_events", PoolEvent, "pool topic number docno relevant", path="pool__campaign"
    ),
    define_table(
        "plans",
        Plan,
        "pool kind design parameters overlap max_overlap audience order third_from repeat_share"
        " rationale first_language blind state closed_at created_at propagate",
        "created_by",
    ),
    define_table(
        "propagated_pairs", PropagatedPair, "plan topic docno original", path="plan__campaign"
    ),
    define_table(
        "assignments", Assignment, "plan topic assessor paused left", path="plan__campaign"
    ),
    define_table(
        "gold_pairs", GoldPair, "topic docno grade explanation retired created_at", "created_by"
    ),
    define_table(
        "crowd_workers", CrowdWorker, "provider user state created_at", "external_hash external_id"
    ),
    define_table(
        "studies",
        Study,
        "plan title state provider summary instructions unit_size one_topic unit_minutes"
        " units_per_worker max_units max_screened gold_per_unit repeats_per_unit practice_pass"
        " stop_after stop_below floor_seconds floor_per_1000 extra_budget aggregation currency"
        " pay_per_unit screen_out_pay hourly_minimum retention_until created_at started_at"
        " stopped_at",
        "provider_settings contact created_by",
    ),
    define_table(
        "consent_texts",
        ConsentText,
        "study version text template created_at",
        "created_by",
        path="study__campaign",
    ),
    define_table(
        "work_units",
        WorkUnit,
        "plan worker trial state size consent_version consented_at offered_at started_at closes_at"
        " ended_at server_seconds practice_seconds reason",
        "public_id external_hash external_id receipt",
        path="plan__campaign",
    ),
    define_table(
        "slots",
        Slot,
        f"plan item gold topic purpose {LEASE} value guideline_version unit unit_position",
        "token",
        path="plan__campaign",
    ),
    define_table("training_pairs", TrainingPair, "audience topic docno grade explanation position"),
    define_table(
        "prompt_cards",
        PromptCard,
        "version template scale examples example_count characters sha256 created_at",
        "created_by",
    ),
    define_table("prompt_card_releases", PromptCardRelease, "card at", "by", path="card__campaign"),
    define_table(
        "automatic_assessors",
        AutomaticAssessor,
        "name description user card model created_at",
        "created_by",
    ),
    define_table(
        "model_answers",
        ModelAnswer,
        "automatic topic docno request_hash grade text requests prompt_tokens answer_tokens seconds"
        " instructions answered_at",
        path="automatic__campaign",
        excerpts="text instructions",
    ),
    define_table(
        "judgments",
        Judgment,
        "topic docno assessor purpose revision kind grade reason comment flags duplicate_of"
        " passages chances slot unit source lease order guideline_version erratum language_shown"
        " rank_shown served_at active_seconds document_sha256 third judged_at",
        "client_uuid",
        comments="reason comment",
        excerpts="passages",
    ),
    define_table(
        "exclusions", Exclusion, "worker unit reason undoes set_at", "actor", comments="reason"
    ),
    define_table(
        "stopping_rules", StoppingRule, "documents relevant no_relevant_in set_at", "set_by"
    ),
    define_table("stopped_topics", StoppedTopic, "topic at", path="topic__campaign"),
    define_table(
        "payments",
        Payment,
        "study unit judged gold_shown gold_right seconds amount currency reason created_at",
        path="study__campaign",
    ),
    define_table(
        "bonuses",
        Bonus,
        "payment amount reason created_at",
        "client_uuid granted_by",
        path="payment__study__campaign",
        comments="reason",
    ),
    define_table(
        "click_logs",
        ClickLog,
        "name sha256 sessions preferences own_lists imported_at",
        "imported_by",
    ),
    define_table(
        "click_preferences", ClickPreference, "log topic better worse times", path="log__campaign"
    ),
    define_table(
        "comparison_plans",
        ComparisonPlan,
        "kind title question pool run_a run_b depth method judges ties seed narrowed state"
        " created_at closed_at",
        "created_by",
    ),
    define_table(
        "comparisons",
        Comparison,
        "plan topic docno_a docno_b content position",
        path="plan__campaign",
    ),
    define_table(
        "comparison_slots",
        ComparisonSlot,
        f"comparison {LEASE} swapped",
        "token",
        path="comparison__plan__campaign",
    ),
    define_table(
        "preferences",
        Preference,
        "comparison slot assessor revision kind choice picks reason comment swapped lease"
        " served_at active_seconds judged_at",
        "client_uuid",
        comments="comment",
    ),
    define_table(
        "qrels",
        Qrels,
        "version policy as_of sha256 pairs manifest note frozen_at",
        "path frozen_by",
    ),
    define_table(
        "score_sets",
        ScoreSet,
        "kind task qrels topics measures conditions created_at released_at",
        "created_by released_by",
    ),
    define_table(
        "run_scores",
        RunScores,
        "score_set run means packed intervals difference_errors",
        path="score_set__campaign",
    ),
    define_table(
        "estimate_frames", EstimateFrame, "score_set pairs packed", path="score_set__campaign"
    ),
)
NOT_ARCHIVED = split_field_names(
    "Event Job JobPart Snapshot Mail Invitation PairChunk CrowdKey LinkKey ProviderEvent"
    " PaymentBatch BatchItem PaymentDispute AlarmDismissal ReviewRequest Collection DataFile"
    " PdfLayout TopicNote Duplicate TextSignature"
    " DataFileVersion PublicPage ScorePublication TeamRequest TermsAcceptance Removal"
)
"""Models of a campaign that are no part of its archive."""
PACKED = {"contributors": "<u2", "packed": "<f8", "difference_errors": "<f8"}
"""Fields of packed numbers, which an archive lists."""
