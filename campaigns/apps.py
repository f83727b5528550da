from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"
    translated = (
        "views.accounts.",
        "views.collection.documents_view",
        "views.collection.topic_view",
        "views.collection.topics_view",
        "views.data_files.data_file_view",
        "views.data_files.data_view",
        "views.documents.",
        "views.errata.errata_view",
        "views.campaigns.guidelines_view",
        "views.invitations.",
        "views.mail.mail_view",
        "views.mail.mails_view",
        "views.mail.reminders_stop_view",
        "views.overview.",
        "views.runs.rejections_dismiss_view",
        "views.runs.run_check_view",
        "views.runs.run_file_view",
        "views.run_uploads.",
        "views.runs.run_view",
        "views.runs.run_withdraw_view",
        "views.runs.runs_view",
        "views.sign_in.",
        "views.site.",
        "views.tasks.tasks_view",
        "views.teams.",
    )
    """Views whose pages are translated, or modules of them."""

    def ready(self) -> None:
        from campaigns.lifecycle.campaign import LIFE_CYCLE
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.services.endings import remove_deleted_campaigns
        from campaigns.services.heartbeats import add_tick_chore
        from campaigns.services.made_files import request_stale_files
        from campaigns.services.mail import send_queued_mails
        from campaigns.services.reminders import queue_run_reminders
        from campaigns.services.snapshots import request_stale_snapshots
        from campaigns.services.store_marker import find_marker_fault
        from campaigns.storages import MarkedStorage

        MarkedStorage.find_fault = staticmethod(find_marker_fault)
        add_life_cycle(LIFE_CYCLE)
        add_tick_chore(request_stale_snapshots)
        add_tick_chore(queue_run_reminders)
        add_tick_chore(send_queued_mails)
        add_tick_chore(request_stale_files)
        add_tick_chore(remove_deleted_campaigns)
