"""URLs of accounts: sign-in is ours, the rest allauth's, under its own names.

Of allauth's pages only those that are offered have an address: no social sign-in, no codes by mail.
"""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import path, re_path

from campaigns.queries.mail import has_mail_server
from campaigns.views import accounts, site

sign_in = site.SignInView.as_view()
sign_out = login_not_required(auth.LogoutView.as_view())
# A template calls it: pages say what an installation without mail cannot do.
MAIL = {"sends_mail": has_mail_server}
urlpatterns = [
    path("login/", sign_in, name="login"),
    path("login/", sign_in, name="account_login"),
    path("logout/", sign_out, name="logout"),
    path("logout/", sign_out, name="account_logout"),
    path("password/", site.ChangePasswordView.as_view(), name="password_change"),
    path("password/done/", auth.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path("signup/", account.SignupView.as_view(extra_context=MAIL), name="account_signup"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("email/", account.EmailView.as_view(extra_context=MAIL), name="account_email"),
    path("confirm-email/", account.email_verification_sent, name="account_email_verification_sent"),
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$", account.confirm_email, name="account_confirm_email"
    ),
    path(
        "password/reset/",
        account.PasswordResetView.as_view(extra_context=MAIL),
        name="account_reset_password",
    ),
    path("password/reset/done/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/key/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("2fa/", mfa.index, name="mfa_index"),
    path("2fa/authenticate/", mfa.authenticate, name="mfa_authenticate"),
    path("2fa/reauthenticate/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("2fa/totp/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("2fa/totp/qr.svg", accounts.totp_picture_view, name="totp-picture"),
    path("2fa/totp/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("2fa/recovery-codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "2fa/recovery-codes/generate/",
        recovery_codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "2fa/recovery-codes/download/",
        recovery_codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
