"""Agreement, stopping, reusability and the effect of disagreement as subjects of reports."""

from campaigns.services.snapshots import Subject
from poolbench.judging.agreement.report import AgreementReport
from poolbench.reliability.disagreement.report import DisagreementReport
from poolbench.reliability.verdicts import agreement, reusability, stopping
from reliability.queries.campaign_state import identify_judging, load_agreement_report
from reliability.queries.collection import load_collection_report
from reliability.queries.disagreement_studies import EFFECT, load_effect_report
from reliability.queries.stopping import load_stopping_report

SUBJECTS = (
    Subject(
        agreement.AGREEMENT,
        identify_judging,
        load_agreement_report,
        AgreementReport,
        agreement.judge_agreement,
        agreement.QUESTION,
        page="agreement",
    ),
    Subject(
        stopping.STOPPING,
        identify_judging,
        load_stopping_report,
        stopping.StoppingReport,
        stopping.judge_stopping,
        stopping.QUESTION,
        page="stopping",
    ),
    Subject(
        reusability.COLLECTION,
        identify_judging,
        load_collection_report,
        reusability.CollectionReport,
        reusability.judge_collection,
        reusability.QUESTION,
        page="reusability",
    ),
    Subject(EFFECT, identify_judging, load_effect_report, DisagreementReport),
)
