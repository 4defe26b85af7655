"""The shapes of bodies: what comes in is judged by them, what goes out is documented by them (and built as dicts)."""

from rest_framework import serializers

from leasehold.actions.tokens import MAX_DAYS
from leasehold.api.fields import Flag, Line, Whole
from leasehold.models import Role, Scope, User, WritePolicy


class NewProject(serializers.Serializer):
    slug = Line(50)
    name = Line(200)


class ProjectChange(serializers.Serializer):
    name = Line(200, required=False)
    write_policy = serializers.ChoiceField(
        WritePolicy.choices, required=False, help_text="What an agent's change becomes: a version, or a proposal."
    )
    two_person = Flag(required=False, help_text="A ticket's author may not approve it.")


class NewMember(serializers.Serializer):
    user = Line(150, help_text="The account's name.")
    role = serializers.ChoiceField(Role.choices)


class ProjectShape(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(Role.choices, allow_null=True, help_text="The caller's own; null: none.")
    write_policy = serializers.ChoiceField(WritePolicy.choices, help_text="What an agent's change becomes.")
    two_person = serializers.BooleanField(help_text="A ticket's author may not approve it.")
    created_at = serializers.DateTimeField()


class MemberShape(serializers.Serializer):
    user = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(User.Kind.choices)
    role = serializers.ChoiceField(Role.choices)


class NamedProject(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()


class OwnMembership(serializers.Serializer):
    project = NamedProject()
    role = serializers.ChoiceField(Role.choices)


class MeShape(serializers.Serializer):
    username = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(User.Kind.choices)
    participant = serializers.CharField()
    time_zone = serializers.CharField()
    is_superuser = serializers.BooleanField()
    scope = serializers.ChoiceField(Scope.choices)
    memberships = OwnMembership(many=True)


class ProfileChange(serializers.Serializer):
    name = Line(150, required=False, allow_blank=True)
    time_zone = Line(64, required=False, allow_blank=True, help_text="Europe/Berlin; empty: the server's.")


class NewToken(serializers.Serializer):
    name = Line(100, help_text="What it is for.")
    scope = serializers.ChoiceField(Scope.choices, required=False, help_text="As far as my role by default.")
    days = Whole(1, MAX_DAYS, required=False, help_text="How long it is good for; 90 by default.")


class TokenShape(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(Scope.choices)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class ShownToken(TokenShape):
    token = serializers.CharField(help_text="Shown this once.")


class LeaseShape(serializers.Serializer):
    resource = serializers.CharField(help_text="For example artifact:12.")
    holder = serializers.CharField(help_text="One attempt, never a bare account: checkout:17:user:alice.")
    kind = serializers.CharField()
    participant = serializers.CharField(allow_null=True)
    purpose = serializers.CharField()
    acquired_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="null: never")
    expires_in = serializers.IntegerField(allow_null=True, help_text="Whole seconds, rounded up.")
    fence = serializers.IntegerField()


class LeaseRowShape(LeaseShape):
    is_lapsed = serializers.BooleanField()


class EntryShape(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.CharField()
    participant = serializers.CharField()
    subject = serializers.CharField()
    project = serializers.CharField(allow_null=True)
    request_id = serializers.CharField()
    data = serializers.DictField()  # type: ignore[assignment]  # the column's name
