"""Fields of passes, in requests and responses."""

from rest_framework import serializers

from leasehold.api.base.fields import Text, Ttl
from leasehold.pass_names import MAX_NAME


class NewPass(serializers.Serializer):
    role = Text(MAX_NAME, help_text="For example critic; at most 200 bytes.")
    context = Text(MAX_NAME, help_text="What the role runs on; at most 200 bytes.")  # type: ignore[assignment]
    pass_id = Text(MAX_NAME, help_text="One for the whole pass, whatever number of clauses it has.")
    ttl = Ttl(least=0, help_text="Seconds; 0: until its release.")


class PassRenewal(serializers.Serializer):
    token = Text(4_000)
    ttl = Ttl(least=0, help_text="Seconds from now; 0: until its release.")


class PassToken(serializers.Serializer):
    token = Text(4_000)


class Nothing(serializers.Serializer):
    """An empty object, or no body."""


class PassShape(serializers.Serializer):
    role = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]
    pass_id = serializers.CharField()
    participant = serializers.CharField(help_text="The account that took it.")
    resource = serializers.CharField(help_text="As GET /leases/ shows it.")
    fence = serializers.IntegerField(help_text="Grows with every pass that takes this lock.")
    acquired_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="null: never")
    expires_in = serializers.IntegerField(allow_null=True, help_text="Whole seconds, rounded up.")
    is_lapsed = serializers.BooleanField()


class GrantedPassShape(serializers.Serializer):
    token = serializers.CharField(help_text="Whoever has it may renew and release.")
    role = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]
    pass_id = serializers.CharField()
    participant = serializers.CharField()
    resource = serializers.CharField()
    fence = serializers.IntegerField()
    acquired_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    expires_in = serializers.IntegerField(allow_null=True)


class ExpiredShape(serializers.Serializer):
    expired = serializers.IntegerField()
