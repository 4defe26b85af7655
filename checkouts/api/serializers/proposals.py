"""Proposals, and the decisions on them."""

from rest_framework import serializers

from checkouts.api.serializers.files import ArtifactNamed, BaseShape
from checkouts.models import Proposal
from leasehold.api.base.fields import Text


class RejectBody(serializers.Serializer):
    reason = Text(500, help_text="Its author reads it.")


class AcceptBody(serializers.Serializer):
    comment = Text(10_000, required=False, allow_blank=True, help_text="The version's; by default the proposal's.")


class ProposalShape(serializers.Serializer):
    id = serializers.IntegerField()
    project = serializers.CharField()
    artifact = ArtifactNamed()
    base = BaseShape(help_text="The head when it was kept.")
    digest = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    author = serializers.CharField()
    participant = serializers.CharField()
    comment = serializers.CharField()
    provenance = serializers.DictField(help_text="Whence: kind, checkout, base_version, base_digest.")
    state = serializers.ChoiceField(Proposal.State.choices)
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_by_participant = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
