from __future__ import annotations

from django.urls import path

from campaigns.views import (
    campaigns,
    collection,
    documents,
    events,
    guidelines,
    invitations,
    people,
    runs,
    site,
)

urlpatterns = [
    path("", site.home_view, name="home"),
    path("theme/", site.theme_view, name="theme"),
    path("health/", site.health_view, name="health"),
    path("account/", site.account_view, name="account"),
    path("account/token/", site.token_create_view, name="token-create"),
    path("account/token/revoke/", site.token_revoke_view, name="token-revoke"),
    path("join/<str:token>/", invitations.join_view, name="join"),
    path("campaigns/new/", campaigns.campaign_new_view, name="campaign-new"),
    path("c/<slug:slug>/", campaigns.campaign_view, name="campaign"),
    path("c/<slug:slug>/settings/", campaigns.campaign_settings_view, name="campaign-settings"),
    path(
        "c/<slug:slug>/settings/visibility/",
        campaigns.visibility_change_view,
        name="visibility-change",
    ),
    path("c/<slug:slug>/guidelines/", guidelines.guidelines_view, name="guidelines"),
    path("c/<slug:slug>/people/", people.people_view, name="people"),
    path("c/<slug:slug>/people/invite/", people.invite_view, name="invite"),
    path("c/<slug:slug>/people/add/", people.member_add_view, name="member-add"),
    path(
        "c/<slug:slug>/people/revoke/<int:pk>/",
        people.invitation_revoke_view,
        name="invitation-revoke",
    ),
    path("c/<slug:slug>/people/remove/<int:pk>/", people.member_remove_view, name="member-remove"),
    path("c/<slug:slug>/topics/", collection.topics_view, name="topics"),
    path("c/<slug:slug>/topics/import/", collection.topics_import_view, name="topics-import"),
    path("c/<slug:slug>/topics/delete/", collection.topics_delete_view, name="topics-delete"),
    path("c/<slug:slug>/topics/view/<path:number>/", collection.topic_view, name="topic"),
    path("c/<slug:slug>/documents/", collection.documents_view, name="documents"),
    path(
        "c/<slug:slug>/documents/import/", collection.documents_import_view, name="documents-import"
    ),
    path(
        "c/<slug:slug>/documents/delete/", collection.documents_delete_view, name="documents-delete"
    ),
    path("c/<slug:slug>/documents/view/", documents.document_view, name="document"),
    path("c/<slug:slug>/documents/body/", documents.document_body_view, name="document-body"),
    path("c/<slug:slug>/runs/", runs.runs_view, name="runs"),
    path("c/<slug:slug>/runs/close/", runs.submissions_close_view, name="submissions-close"),
    path("c/<slug:slug>/runs/dismiss/", runs.rejections_dismiss_view, name="rejections-dismiss"),
    path("c/<slug:slug>/runs/upload/", runs.run_upload_view, name="run-upload"),
    path("c/<slug:slug>/runs/<int:pk>/", runs.run_view, name="run"),
    path("c/<slug:slug>/runs/<int:pk>/file/", runs.run_file_view, name="run-file"),
    path("c/<slug:slug>/runs/<int:pk>/check/", runs.run_check_view, name="run-check"),
    path("c/<slug:slug>/runs/<int:pk>/withdraw/", runs.run_withdraw_view, name="run-withdraw"),
    path("c/<slug:slug>/log/", events.events_view, name="events"),
    path("c/<slug:slug>/jobs/<int:pk>/", events.job_view, name="job"),
]
