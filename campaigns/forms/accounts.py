"""Forms of accounts: sign-in, passwords, tokens; those for strangers are django-allauth's."""

from typing import Any

from allauth.account.forms import AddEmailForm, ResetPasswordForm, ResetPasswordKeyForm, SignupForm
from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import (
    AuthenticationForm,
    BaseUserCreationForm,
    PasswordChangeForm,
    UsernameField,
)
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from campaigns.models import Campaign, Scope, User
from campaigns.queries.mail import has_mail_server
from campaigns.services.tokens import list_token_lifetimes


class OneLineField(forms.CharField):
    """Text on one line, whatever a program sends: it stands in mails."""

    def to_python(self, value: Any) -> str:
        return " ".join(str(super().to_python(value) or "").split())


def describe_passwords(form: forms.Form) -> None:
    """The two fields of a new password, in the words of our other forms."""
    for name in ("password1", "password2"):
        form.fields[name].widget.attrs.pop("placeholder", None)
        form.fields[name].help_text = ""
    form.fields["password1"].help_text = _(
        "At least 8 characters; not a common password or your name."
    )
    form.fields["password2"].label = _("Confirm password")


class NewAccountForm(SignupForm):  # type: ignore[misc]
    """Asks for the address where mail can confirm it, otherwise for a username."""

    first_name = OneLineField(max_length=150, label=_("Your name"))
    field_order = ("first_name", "email", "username", "password1", "password2")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_passwords(self)
        if "email" in self.fields:
            describe_address(self)
            self.fields["email"].help_text = _("You confirm it by a link that is sent to it.")
        if "username" in self.fields:
            self.fields["username"].help_text = _("Letters, digits and @.+-_ only")
            self.fields["username"].widget.attrs = {"autocomplete": "username"}

    def signup(self, request: HttpRequest, user: User) -> None:
        """allauth calls it; nothing is left to do."""


def describe_address(form: forms.Form) -> None:
    form.fields["email"].label = _("E-mail")
    form.fields["email"].widget.attrs.pop("placeholder", None)


class NewAddressForm(AddEmailForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_address(self)


class ResetRequestForm(ResetPasswordForm):  # type: ignore[misc]
    """Sends links to confirmed addresses, and to one that alone can get at its account: it has
    never been signed in to. The answer is the same for all others.
    """

    users: list[User]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_address(self)

    def clean_email(self) -> str:
        address: str = super().clean_email()
        self.users = [user for user in self.users if user.email == address or not user.last_login]
        return address


class NewPasswordForm(ResetPasswordKeyForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_passwords(self)
        self.fields["password1"].label = _("New password")


class SignInForm(AuthenticationForm):
    """Limits the length of the username, as the log of failed sign-ins does; Django does not.

    A confirmed address stands for the username of its account.
    """

    username = UsernameField(
        max_length=254, label=_("Username or e-mail"), widget=forms.TextInput({"autofocus": True})
    )

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        user = User.objects.filter(email=name.lower()).first() if "@" in name else None
        return user.username if user else name[:150]


class CurrentPasswordForm(PasswordChangeForm):
    """Asks for the current password as a sign-in does: guesses are limited and logged."""

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        username = self.user.get_username()
        if authenticate(self.request, username=username, password=password) is None:
            raise forms.ValidationError(
                self.error_messages["password_incorrect"], code="password_incorrect"
            )
        return password


class SignUpForm(BaseUserCreationForm):  # type: ignore[type-arg]
    name = OneLineField(max_length=150, label=_("Your name"))
    email = forms.EmailField(
        max_length=254,
        required=False,
        label=_("E-mail"),
        help_text=_("For letters of the campaign and new passwords. You confirm it by a link."),
    )

    field_order = ("name", "email", "username", "password1", "password2")

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_mail_server():
            del self.fields["email"]
        username = self.fields["username"]
        username.label, username.help_text = _("Username"), _("Letters, digits and @.+-_ only")
        username.widget.attrs.pop("autofocus", None)
        help_text = _("At least 8 characters; not a common password or your name.")
        self.fields["password1"].help_text = help_text
        self.fields["password2"].label = _("Confirm password")
        self.fields["password2"].help_text = ""

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(_("This username is taken."))
        return username


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]
    first_name = OneLineField(max_length=150, required=False, label=_("First name"))
    last_name = OneLineField(max_length=150, required=False, label=_("Last name"))

    class Meta:
        model = User
        fields = ("first_name", "last_name", "mail_language", "reminders")


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60, label=_("Name"), help_text=_("What it is for, such as the machine.")
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=[Scope.READ, Scope.SUBMIT], label=_("It may be used to"),
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    campaign = forms.ModelChoiceField(
        Campaign.objects.none(), required=False, label=_("For"), empty_label=_("All campaigns")
    )
    days = forms.TypedChoiceField(coerce=int, label=_("Valid for"))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["campaign"].queryset = Campaign.objects.visible_to(user)  # type: ignore[attr-defined]
        lifetimes = list_token_lifetimes()
        days: Any = self.fields["days"]
        days.choices = [(n, ngettext("%(n)s day", "%(n)s days", n) % {"n": n}) for n in lifetimes]
        days.initial = lifetimes[-1]
