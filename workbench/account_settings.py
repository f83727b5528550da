"""Settings of accounts: django-allauth's, and those of django-axes for our limits on sign-in."""

from typing import Any


def build_account_settings(*, has_mail: bool) -> dict[str, Any]:
    """Without mail no address can be confirmed: new accounts then have a username instead.

    With mail the username is made from the name: a chosen one that is taken would tell a stranger
    who has an account.
    """
    return {
        "AXES_HANDLER": "campaigns.services.sign_in.SignInHandler",
        "AXES_FAILURE_LIMIT": 1,  # the handler reports 1 while a client has to wait
        "AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT": False,
        "AXES_RESET_ON_SUCCESS": True,
        "AXES_LOCKOUT_PARAMETERS": [["username", "ip_address"]],  # what a successful sign-in resets
        "AXES_LOCKOUT_CALLABLE": "campaigns.views.site.lockout_response",
        "AXES_ENABLE_ACCESS_FAILURE_LOG": True,
        "AXES_SENSITIVE_PARAMETERS": ["old_password", "new_password1", "new_password2"],
        "AXES_VERBOSE": False,
        "ACCOUNT_ADAPTER": "campaigns.services.accounts.AccountAdapter",
        "ACCOUNT_FORMS": {
            "add_email": "campaigns.forms.accounts.NewAddressForm",
            "signup": "campaigns.forms.accounts.NewAccountForm",
            "reset_password": "campaigns.forms.accounts.ResetRequestForm",
            "reset_password_from_key": "campaigns.forms.accounts.NewPasswordForm",
        },
        "ACCOUNT_LOGIN_METHODS": {"username", "email"},
        "ACCOUNT_SIGNUP_FIELDS": [
            "email*" if has_mail else "username*", "password1*", "password2*",
        ],
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory" if has_mail else "none",
        # One address; another replaces it once confirmed.
        "ACCOUNT_CHANGE_EMAIL": True,
        # ``User.email`` holds the confirmed address alone: see campaigns/services/accounts.py.
        "ACCOUNT_USER_MODEL_EMAIL_FIELD": None,
        "ACCOUNT_EMAIL_SUBJECT_PREFIX": "",
        # Warnings: a new password or address, a second factor switched on or off.
        "ACCOUNT_EMAIL_NOTIFICATIONS": True,
        "ACCOUNT_REAUTHENTICATION_REQUIRED": True,
        "ACCOUNT_REAUTHENTICATION_METHODS": ("password", "mfa"),
        # By address of the client ("ip"), mail address or account ("key"), user.
        "ACCOUNT_RATE_LIMITS": {
            "signup": "20/h/ip",
            "reset_password": "20/h/ip,5/h/key",
            "reset_password_from_key": "20/m/ip",
            "confirm_email": "1/3m/key",
            "manage_email": "10/m/user",
            "reauthenticate": "10/m/user",
            "login_failed": "10/m/ip,5/5m/key",
        },
        "MFA_TOTP_ISSUER": "Poolbench",
        "MFA_TOTP_TOLERANCE": 1,  # clocks of phones: the codes of 30 seconds before and after
    }  # fmt: skip
