"""The shapes of bodies that come in: each is judged by its own; the forms only document what a stream parser reads."""

from typing import Any

from rest_framework import serializers

from checkouts.actions.edits import MAX_TTL
from leasehold.api.base.fields import Flag, Id, Ids, Text, Ttl
from leasehold.models import WritePolicy


class Terms(serializers.Serializer):
    ttl = Ttl(required=False, help_text="Seconds; 8 hours by default.")
    purpose = Text(500, required=False, allow_blank=True, help_text="What for; others read it.")


class CheckOutBody(Terms):
    session = Id(required=False, source="session_id", help_text="My active session that it belongs to.")


class CheckOutManyBody(Terms):
    artifacts = Ids(required=False, help_text="The ids; or else:")
    prefix = Text(1_024, required=False, help_text="A folder: `heroes/`.")
    atomic = Flag(default=True, help_text="All or nothing.")


class ExtendBody(serializers.Serializer):
    ttl = Ttl(required=False, help_text="Seconds from now; by default what was first asked for.")


class NothingBody(serializers.Serializer):
    """An empty object, or no body."""


class BreakBody(serializers.Serializer):
    reason = Text(500, help_text="The holder reads it.")


class TakeOverBody(Terms):
    reason = Text(500, help_text="The old holder reads it.")


class HandOverBody(serializers.Serializer):
    to = Text(150, help_text="The account's name: a person who may edit in the project.")
    reason = Text(500, required=False, allow_blank=True, help_text="Needed from an operator; both people read it.")


class RestoreBody(serializers.Serializer):
    comment = Text(10_000, required=False, allow_blank=True)


class EditBody(serializers.Serializer):
    ttl = Ttl(required=False, most=MAX_TTL, help_text="Seconds, at most 45, the default; never renewed.")
    purpose = Text(500, required=False, allow_blank=True, help_text="What for; others read it.")
    session = Id(required=False, source="session_id", help_text="My active session that it belongs to.")


class RejectBody(serializers.Serializer):
    reason = Text(500, help_text="Its author reads it.")


class AcceptBody(serializers.Serializer):
    comment = Text(10_000, required=False, allow_blank=True, help_text="The version's; by default the proposal's.")


class ArtifactChange(serializers.Serializer):
    """One of the two."""

    path = Text(1_024, required=False, trim_whitespace=False)
    write_policy = serializers.ChoiceField(
        WritePolicy.choices,
        required=False,
        allow_null=True,
        help_text="What an agent's change becomes; null: as the project says.",
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if len(values) != 1:
            raise serializers.ValidationError({"path": "Expected a path or a write policy, one of the two."})
        return values


class NewFileForm(serializers.Serializer):
    """As multipart/form-data."""

    path = serializers.CharField()
    file = serializers.FileField()
    comment = serializers.CharField(required=False)
    digest = serializers.CharField(required=False, help_text="sha256:<64 hex digits>, checked on arrival.")


class BytesForm(serializers.Serializer):
    """As multipart/form-data."""

    file = serializers.FileField()
    comment = serializers.CharField(required=False)
    digest = serializers.CharField(required=False, help_text="sha256:<64 hex digits>, checked on arrival.")


class CheckInForm(BytesForm):
    """As multipart/form-data."""

    keep = serializers.BooleanField(required=False, help_text="Keep it checked out, on the resulting version.")
