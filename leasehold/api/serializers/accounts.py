"""Fields of the caller's account and tokens, in requests and responses."""

from rest_framework import serializers

from leasehold.actions.tokens import MAX_DAYS
from leasehold.api.base.fields import Text, Whole
from leasehold.api.serializers.projects import NamedProject
from leasehold.models import Role, Scope, User


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
    name = Text(150, required=False, allow_blank=True)
    time_zone = Text(64, required=False, allow_blank=True, help_text="Europe/Berlin; empty: the server's.")


class NewToken(serializers.Serializer):
    name = Text(100, help_text="What it is for.")
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
