"""Events keep codes instead of sentences; a run is rejected, not refused; a fault has a fix."""

from django.db import migrations, models

CODES = {
    "created the campaign": "campaign.created",
    "changed the settings": "campaign.updated",
    "set the grade scale": "campaign.scale_set",
    "imported topics": "topics.imported",
    "imported documents": "documents.imported",
    "deleted all topics": "topics.deleted",
    "deleted all documents": "documents.deleted",
    "invited": "invitation.created",
    "revoked an invitation": "invitation.revoked",
    "joined": "member.joined",
    "removed a member": "member.removed",
    "made the team": "team.created",
    "submitted a run": "run.submitted",
    "withdrew a run": "run.withdrawn",
    "replaced a run": "run.replaced",
    "accepted a run": "run.accepted",
    "refused a run": "run.rejected",
    "froze a pool": "pool.frozen",
    "made a judging plan": "plan.created",
    "assigned assessors": "plan.assigned",
    "closed a judging plan": "plan.closed",
    "paused a judging plan": "plan.paused",
    "resumed a judging plan": "plan.resumed",
    "reopened a document": "slot.reopened",
    "took documents back": "slots.returned",
    "paused assessors": "assignment.paused",
    "resumed assessors": "assignment.resumed",
    "reassigned an assessor's documents": "assignment.reassigned",
    "opened a round of adjudication": "round.opened",
    "left out of a round what is agreed by now": "round.pairs_removed",
    "ended a round of adjudication": "round.closed",
    "added an automatic assessor": "automatic.created",
    "sent automatic judgments": "automatic.judgments_submitted",
    "imported judgments": "judgments.imported",
    "set when topics end": "stopping.rule_set",
    "added training pairs": "training.added",
    "changed a training pair": "training.changed",
    "removed training pairs": "training.removed",
    "released qrels": "qrels.frozen",
    "evaluated the runs": "scores.evaluated",
    "released the scores": "scores.released",
}


def rename_events(apps, words):
    Event = apps.get_model("campaigns", "Event")
    for old, new in words.items():
        Event.objects.filter(code=old).update(code=new)


def rename_state(apps, old, new):
    apps.get_model("campaigns", "Run").objects.filter(state=old).update(state=new)


def rename_key(apps, old, new):
    """The key of each fault in the reports of runs."""
    Run = apps.get_model("campaigns", "Run")
    for run in Run.objects.exclude(report={}).only("report").iterator(chunk_size=100):
        faults = run.report.get("faults", [])
        if any(old in fault for fault in faults):
            for fault in faults:
                fault[new] = fault.pop(old, "")
            run.save(update_fields=["report"])


def forwards(apps, schema_editor):
    rename_events(apps, CODES)
    rename_state(apps, "refused", "rejected")
    rename_key(apps, "cure", "fix")


def backwards(apps, schema_editor):
    rename_events(apps, {new: old for old, new in CODES.items()})
    rename_state(apps, "rejected", "refused")
    rename_key(apps, "fix", "cure")


class Migration(migrations.Migration):

    dependencies = [("campaigns", "0003_documents_and_guidelines")]

    operations = [
        migrations.RenameField("event", "verb", "code"),
        migrations.AlterField(
            model_name="run",
            name="state",
            field=models.CharField(
                choices=[
                    ("received", "checking"),
                    ("accepted", "accepted"),
                    ("rejected", "rejected"),
                    ("replaced", "replaced"),
                    ("withdrawn", "withdrawn"),
                ],
                default="received",
                max_length=10,
            ),
        ),
        migrations.RunPython(forwards, backwards),
    ]
