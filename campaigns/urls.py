from __future__ import annotations

from django.urls import include, path

from campaigns.views import (
    campaigns,
    collection,
    documents,
    events,
    help_pages,
    invitations,
    overview,
    people,
    runs,
    site,
)
from campaigns.views.addresses import page

CAMPAIGN_PAGES = [
    page("", overview.campaign_view),
    page("setup/", campaigns.campaign_settings_view),
    page("setup/visibility/", campaigns.visibility_change_view),
    page("setup/guidelines/", campaigns.guidelines_view),
    page("people/", people.people_view),
    page("people/invite/", people.invite_view),
    page("people/add/", people.member_add_view),
    page("people/revoke/<int:pk>/", people.invitation_revoke_view),
    page("people/remove/<int:pk>/", people.member_remove_view),
    page("setup/topics/", collection.topics_view),
    page("setup/topics/import/", collection.topics_import_view),
    page("setup/topics/delete/", collection.topics_delete_view),
    page("setup/topics/view/<path:number>/", collection.topic_view),
    page("setup/documents/", collection.documents_view),
    page("setup/documents/import/", collection.documents_import_view),
    page("setup/documents/delete/", collection.documents_delete_view),
    page("setup/documents/view/", documents.document_view),
    page("setup/documents/body/", documents.document_body_view),
    page("runs/", runs.runs_view),
    page("runs/close/", runs.submissions_close_view),
    page("runs/dismiss/", runs.rejections_dismiss_view),
    page("runs/upload/", runs.run_upload_view),
    page("runs/<int:pk>/", runs.run_view),
    page("runs/<int:pk>/file/", runs.run_file_view),
    page("runs/<int:pk>/check/", runs.run_check_view),
    page("runs/<int:pk>/withdraw/", runs.run_withdraw_view),
    page("people/log/", events.events_view),
    page("jobs/<int:pk>/", events.job_view),
]
urlpatterns = [
    page("", site.home_view),
    page("theme/", site.theme_view),
    page("health/", site.health_view),
    page("help/", help_pages.help_view),
    page("help/images/<str:name>", help_pages.help_image_view),
    page("help/<path:name>/", help_pages.help_page_view),
    page("account/", site.account_view),
    page("account/token/", site.token_create_view),
    page("account/token/revoke/", site.token_revoke_view),
    page("join/<str:token>/", invitations.join_view),
    page("campaigns/new/", campaigns.campaign_new_view),
    path("c/<slug:slug>/", include(CAMPAIGN_PAGES)),
]
