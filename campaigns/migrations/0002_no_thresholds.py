from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("campaigns", "0001_squashed")]

    operations = [migrations.DeleteModel(name="CampaignThreshold")]
