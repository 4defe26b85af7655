"""Files and their versions, and the bytes that are sent for them."""

from typing import Any

from rest_framework import serializers

from leasehold.api.base.fields import Text
from leasehold.api.serializers.leases import LeaseShape
from leasehold.models import WritePolicy


class NothingBody(serializers.Serializer):
    """An empty object, or no body."""


class BytesForm(serializers.Serializer):
    """As multipart/form-data."""

    file = serializers.FileField()
    comment = serializers.CharField(required=False)
    digest = serializers.CharField(required=False, help_text="sha256:<64 hex digits>, checked on arrival.")


class NewFileForm(serializers.Serializer):
    """As multipart/form-data."""

    path = serializers.CharField()
    file = serializers.FileField()
    comment = serializers.CharField(required=False)
    digest = serializers.CharField(required=False, help_text="sha256:<64 hex digits>, checked on arrival.")


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


class RestoreBody(serializers.Serializer):
    comment = Text(10_000, required=False, allow_blank=True)


class VersionShape(serializers.Serializer):
    number = serializers.IntegerField()
    digest = serializers.CharField(help_text="sha256:<64 hex digits>; the content's ETag.")
    size = serializers.IntegerField(help_text="Bytes.")
    author = serializers.CharField()
    participant = serializers.CharField()
    comment = serializers.CharField()
    provenance = serializers.DictField(help_text="How it came to be: kind, checkout, base_version, base_digest.")
    created_at = serializers.DateTimeField()


class ArtifactShape(serializers.Serializer):
    id = serializers.IntegerField()
    project = serializers.CharField()
    path = serializers.CharField()
    name = serializers.CharField(help_text="The last part of the path.")
    head = VersionShape()
    lease = LeaseShape(allow_null=True, help_text="null: free, or lapsed.")
    write_policy = serializers.ChoiceField(
        WritePolicy.choices, allow_null=True, help_text="Its own; null: as the project says."
    )
    effective_write_policy = serializers.ChoiceField(
        WritePolicy.choices, help_text="What an agent's change becomes: a version (direct), or a proposal."
    )
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)


class BaseShape(serializers.Serializer):
    number = serializers.IntegerField()
    digest = serializers.CharField()


class ArtifactNamed(serializers.Serializer):
    id = serializers.IntegerField()
    path = serializers.CharField()
