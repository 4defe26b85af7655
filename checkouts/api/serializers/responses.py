"""The shapes of answers: they are documented by these, and built as plain dicts in `representations`."""

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from checkouts.models import Checkout, Edit, Proposal
from leasehold.api.serializers.leases import LeaseShape
from leasehold.models import WritePolicy


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


class ResultShape(serializers.Serializer):
    version = serializers.IntegerField(allow_null=True)
    proposal = serializers.IntegerField(allow_null=True)
    digest = serializers.CharField()


class BrokenShape(serializers.Serializer):
    at = serializers.DateTimeField()
    by = serializers.CharField()
    participant = serializers.CharField()
    how = serializers.ChoiceField(Checkout.Loss.choices)
    reason = serializers.CharField()


class CheckoutShape(serializers.Serializer):
    id = serializers.IntegerField()
    project = serializers.CharField()
    artifact = ArtifactNamed()
    base = BaseShape(help_text="The version that was checked out.")
    user = serializers.CharField()
    participant = serializers.CharField()
    purpose = serializers.CharField()
    session = serializers.IntegerField(allow_null=True, help_text="The worker's session that it belongs to.")
    client = serializers.CharField(help_text="The door it came through: browser, api, admin, command.")
    state = serializers.ChoiceField(Checkout.State.choices)
    outcome = serializers.ChoiceField(Checkout.Outcome.choices, allow_null=True)
    result = ResultShape(allow_null=True)
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(help_text="The last grant.")
    is_lapsed = serializers.BooleanField(help_text="Open, and its time has run out. It can still be checked in.")
    broken = BrokenShape(allow_null=True, help_text="An operator ended its lease. It can still be checked in.")
    lease = LeaseShape(allow_null=True, help_text="This check-out's own, while it is live.")


class RefusedShape(serializers.Serializer):
    """Beside these the facts of the refusal: `lease`, or `reserved`."""

    artifact = ArtifactNamed()
    code = serializers.ChoiceField(["artifact_busy", "scope_reserved"])
    detail = serializers.CharField()
    lease = LeaseShape(required=False, allow_null=True)
    reserved = serializers.ListField(child=serializers.DictField(), required=False)


class GrantedManyShape(serializers.Serializer):
    checkouts = CheckoutShape(many=True)
    refused = RefusedShape(many=True, help_text="Empty where it is all or nothing.")


class EditShape(serializers.Serializer):
    id = serializers.UUIDField()
    project = serializers.CharField()
    artifact = ArtifactNamed()
    base = BaseShape(help_text="The version to start from.")
    user = serializers.CharField()
    participant = serializers.CharField()
    purpose = serializers.CharField()
    session = serializers.IntegerField(allow_null=True, help_text="The worker's session that it belongs to.")
    client = serializers.CharField(help_text="The door it came through: api, command.")
    state = serializers.ChoiceField(Edit.State.choices)
    outcome = serializers.ChoiceField(Edit.Outcome.choices, allow_null=True)
    result = ResultShape(allow_null=True)
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField()
    lease = LeaseShape(allow_null=True, help_text="This edit's own, while it is live.")


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


class WithVersionShape(serializers.Serializer):
    outcome = serializers.ChoiceField(["committed", "unchanged"])
    replayed = serializers.BooleanField(help_text="The first answer again; nothing was written.")
    version = VersionShape()
    checkout = CheckoutShape()
    next_checkout = CheckoutShape(allow_null=True, help_text="What `keep` opened.")


class WithProposalShape(serializers.Serializer):
    outcome = serializers.ChoiceField(["proposed"])
    replayed = serializers.BooleanField(help_text="The first answer again; nothing was written.")
    proposal = ProposalShape()
    checkout = CheckoutShape()
    next_checkout = CheckoutShape(allow_null=True, help_text="A proposal has none.")


class EditWithVersionShape(serializers.Serializer):
    outcome = serializers.ChoiceField(["committed", "unchanged"])
    replayed = serializers.BooleanField(help_text="The first answer again; nothing was written.")
    version = VersionShape()
    edit = EditShape()


class EditWithProposalShape(serializers.Serializer):
    outcome = serializers.ChoiceField(["proposed"])
    replayed = serializers.BooleanField(help_text="The first answer again; nothing was written.")
    proposal = ProposalShape()
    edit = EditShape()


AnyOutcome = PolymorphicProxySerializer(
    component_name="Outcome", serializers=[WithVersionShape, WithProposalShape], resource_type_field_name=None
)
AnyEditOutcome = PolymorphicProxySerializer(
    component_name="EditOutcome",
    serializers=[EditWithVersionShape, EditWithProposalShape],
    resource_type_field_name=None,
)
