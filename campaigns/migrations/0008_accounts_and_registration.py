import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def move_addresses(apps, schema_editor):
    """Addresses so far were typed in and never confirmed: allauth keeps them as such. Those of
    users who have never signed in were given by the operator, who vouches for them.
    """
    User = apps.get_model('campaigns', 'User')
    EmailAddress = apps.get_model('account', 'EmailAddress')
    confirmed = set()
    for user in User.objects.exclude(email='').order_by('pk'):
        address = user.email.lower()
        verified = user.last_login is None and address not in confirmed
        confirmed |= {address} if verified else set()
        EmailAddress.objects.create(user_id=user.pk, email=address, verified=verified, primary=True)
        User.objects.filter(pk=user.pk).update(email=address if verified else '')
    check_constraints(schema_editor)


def check_constraints(schema_editor):
    """Now, not at the end: PostgreSQL changes no table whose rows have still to be checked."""
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute('SET CONSTRAINTS ALL IMMEDIATE')
        schema_editor.execute('SET CONSTRAINTS ALL DEFERRED')


def restore_addresses(apps, schema_editor):
    User = apps.get_model('campaigns', 'User')
    EmailAddress = apps.get_model('account', 'EmailAddress')
    for address in EmailAddress.objects.order_by('verified', 'primary'):
        User.objects.filter(pk=address.user_id).update(email=address.email)
    EmailAddress.objects.all().delete()
    check_constraints(schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('account', '0009_emailaddress_unique_primary_email'),
        ('campaigns', '0007_mail'),
    ]

    operations = [
        migrations.RunPython(move_addresses, restore_addresses),
        migrations.AddField(
            model_name='campaign',
            name='registration',
            field=models.CharField(choices=[('closed', 'By invitation only'), ('approval', 'Teams register; an organizer approves each'), ('open', 'Teams register and take part at once')], default='closed', help_text='Unless by invitation only, title and terms are shown to everybody who signs in.', max_length=8, verbose_name='registration of teams'),
        ),
        migrations.AddField(
            model_name='campaign',
            name='terms',
            field=models.TextField(blank=True, help_text='Markdown. Teams accept them when they register or join.', validators=[django.core.validators.MaxLengthValidator(50000)], verbose_name='terms of participation'),
        ),
        migrations.AddField(
            model_name='campaign',
            name='terms_version',
            field=models.PositiveIntegerField(default=0, editable=False, help_text='Version of the terms; 0 if there have been none.'),
        ),
        migrations.AddField(
            model_name='invitation',
            name='sent_to',
            field=models.EmailField(blank=True, max_length=254),
        ),
        migrations.AddField(
            model_name='team',
            name='affiliation',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='team',
            name='contact',
            field=models.CharField(blank=True, help_text='Name, and how to reach them. Visible to the team and to organizers.', max_length=200, verbose_name='contact person'),
        ),
        migrations.CreateModel(
            name='Terms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField(blank=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='terms_versions', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['-version'],
            },
        ),
        migrations.CreateModel(
            name='TermsAcceptance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('terms', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='acceptances', to='campaigns.terms')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_terms', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='TeamRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('affiliation', models.CharField(max_length=200)),
                ('contact', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('approved', 'approved'), ('refused', 'refused')], default='waiting', max_length=8)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='team_requests', to='campaigns.campaign')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='requests', to='campaigns.team')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='team_requests', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['created_at', 'pk'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), models.F('user'), condition=models.Q(('state', 'waiting')), name='team_request_waiting_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='terms',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('version'), name='terms_version_once'),
        ),
        migrations.AddConstraint(
            model_name='termsacceptance',
            constraint=models.UniqueConstraint(models.F('terms'), models.F('user'), name='terms_accepted_once'),
        ),
    ]
