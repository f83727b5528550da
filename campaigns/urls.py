from __future__ import annotations

from django.urls import path

from campaigns.views import collection, joining, log, people, runs, setup, site

urlpatterns = [
    path("", site.home, name="home"),
    path("theme/", site.theme, name="theme"),
    path("health/", site.health, name="health"),
    path("account/", site.account, name="account"),
    path("account/token/", site.token_create, name="token-create"),
    path("account/token/revoke/", site.token_revoke, name="token-revoke"),
    path("join/<str:token>/", joining.join, name="join"),
    path("campaigns/new/", setup.campaign_new, name="campaign-new"),
    path("c/<slug:slug>/", setup.campaign_page, name="campaign"),
    path("c/<slug:slug>/settings/", setup.campaign_settings, name="campaign-settings"),
    path("c/<slug:slug>/people/", people.people, name="people"),
    path("c/<slug:slug>/people/invite/", people.invite, name="invite"),
    path("c/<slug:slug>/people/add/", people.member_add, name="member-add"),
    path("c/<slug:slug>/people/revoke/<int:pk>/", people.revoke, name="invitation-revoke"),
    path("c/<slug:slug>/people/remove/<int:pk>/", people.member_remove, name="member-remove"),
    path("c/<slug:slug>/topics/", collection.topics, name="topics"),
    path("c/<slug:slug>/topics/import/", collection.topics_import, name="topics-import"),
    path("c/<slug:slug>/topics/delete/", collection.topics_delete, name="topics-delete"),
    path("c/<slug:slug>/topics/view/<path:number>/", collection.topic, name="topic"),
    path("c/<slug:slug>/documents/", collection.documents, name="documents"),
    path("c/<slug:slug>/documents/import/", collection.documents_import, name="documents-import"),
    path("c/<slug:slug>/documents/delete/", collection.documents_delete, name="documents-delete"),
    path("c/<slug:slug>/documents/view/", collection.document, name="document"),
    path("c/<slug:slug>/runs/", runs.runs, name="runs"),
    path("c/<slug:slug>/runs/upload/", runs.run_upload, name="run-upload"),
    path("c/<slug:slug>/runs/<int:pk>/", runs.run, name="run"),
    path("c/<slug:slug>/runs/<int:pk>/file/", runs.run_file, name="run-file"),
    path("c/<slug:slug>/runs/<int:pk>/check/", runs.run_check, name="run-check"),
    path("c/<slug:slug>/runs/<int:pk>/withdraw/", runs.run_withdraw, name="run-withdraw"),
    path("c/<slug:slug>/log/", log.events, name="events"),
    path("c/<slug:slug>/jobs/<int:pk>/", log.job, name="job"),
]
