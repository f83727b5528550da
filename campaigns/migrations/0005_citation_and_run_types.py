from django.core.validators import MaxLengthValidator, URLValidator
from django.db import migrations, models

KINDS = [(kind, kind) for kind in ("automatic", "feedback", "manual")]
CITATION = "How papers should cite the campaign: BibTeX or text. Default: title and page."
WEBSITE = {
    "validators": [URLValidator(["http", "https"])],
    "help_text": "For the citation in papers.",
}


class Migration(migrations.Migration):

    dependencies = [("campaigns", "0004_doors")]

    operations = [
        migrations.AddField(
            "campaign", "website", models.CharField(max_length=200, blank=True, **WEBSITE)
        ),
        migrations.AddField(
            "campaign",
            "citation",
            models.TextField(
                blank=True, validators=[MaxLengthValidator(50_000)], help_text=CITATION
            ),
        ),
        migrations.AlterField(
            "run", "kind", models.CharField(choices=KINDS, default="automatic", max_length=10)
        ),
    ]
