"""Fields of leases, in requests and responses."""

from rest_framework import serializers

from leasehold.api.base.fields import Text


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


class LeaseBreakBody(serializers.Serializer):
    resource = Text(2_000, help_text="As `GET /leases/` shows it: artifact:12, role:critic/chapter-3.")
    reason = Text(500, help_text="The holder reads it.")


class LeaseBrokenShape(serializers.Serializer):
    broken = serializers.BooleanField()
    lease = LeaseShape(allow_null=True)
