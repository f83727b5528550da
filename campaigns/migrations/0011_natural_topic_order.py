"""Topics in natural order of their numbers, as imports arrange them from now on."""

from django.db import migrations

from campaigns.core.natural_sort import natural_sort_key


def order_topics(apps, schema_editor):
    topic_model = apps.get_model("campaigns", "Topic")
    campaigns = topic_model.objects.order_by().values_list("campaign", flat=True).distinct()
    for campaign in campaigns:
        topics = list(topic_model.objects.filter(campaign=campaign))
        topics.sort(key=lambda topic: natural_sort_key(topic.number))
        for position, topic in enumerate(topics, start=1):
            topic.position = position
        topic_model.objects.bulk_update(topics, ["position"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0010_pages")]

    operations = [migrations.RunPython(order_topics, migrations.RunPython.noop, elidable=True)]
