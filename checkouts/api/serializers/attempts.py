"""Check-outs and edits, and what a check-in results in."""

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from checkouts.actions.edits import MAX_TTL
from checkouts.api.serializers.files import ArtifactNamed, BaseShape, BytesForm, VersionShape
from checkouts.api.serializers.proposals import ProposalShape
from checkouts.models import Attempt, Checkout
from leasehold.api.base.fields import Flag, Id, Ids, Text, Ttl
from leasehold.api.serializers.leases import LeaseShape


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


class BreakBody(serializers.Serializer):
    reason = Text(500, help_text="The holder reads it.")


class TakeOverBody(Terms):
    reason = Text(500, help_text="The old holder reads it.")


class HandOverBody(serializers.Serializer):
    to = Text(150, help_text="The account's name: a person who may edit in the project.")
    reason = Text(500, required=False, allow_blank=True, help_text="Needed from an operator; both people read it.")


class EditBody(serializers.Serializer):
    ttl = Ttl(required=False, most=MAX_TTL, help_text="Seconds, at most 45, the default; never renewed.")
    purpose = Text(500, required=False, allow_blank=True, help_text="What for; others read it.")
    session = Id(required=False, source="session_id", help_text="My active session that it belongs to.")


class CheckInForm(BytesForm):
    """As multipart/form-data."""

    keep = serializers.BooleanField(required=False, help_text="Keep it checked out, on the resulting version.")


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


# A docstring would become the description of each shape below.
class AttemptShape(serializers.Serializer):  # what a check-out and an edit have in common
    id: serializers.Field = serializers.IntegerField()
    project = serializers.CharField()
    artifact = ArtifactNamed()
    base = BaseShape()
    user = serializers.CharField()
    participant = serializers.CharField()
    purpose = serializers.CharField()
    session = serializers.IntegerField(allow_null=True, help_text="The worker's session that it belongs to.")
    client = serializers.CharField()
    state = serializers.ChoiceField(Attempt.State.choices)
    outcome = serializers.ChoiceField(Attempt.Outcome.choices, allow_null=True)
    result = ResultShape(allow_null=True)
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField()


class CheckoutShape(AttemptShape):
    base = BaseShape(help_text="The version that was checked out.")
    client = serializers.CharField(help_text="The door it came through: browser, api, admin, command.")
    expires_at = serializers.DateTimeField(help_text="The last grant.")
    is_lapsed = serializers.BooleanField(help_text="Open, and its time has run out. It can still be checked in.")
    broken = BrokenShape(allow_null=True, help_text="An operator ended its lease. It can still be checked in.")
    lease = LeaseShape(allow_null=True, help_text="This check-out's own, while it is live.")


class EditShape(AttemptShape):
    id = serializers.UUIDField()
    base = BaseShape(help_text="The version to start from.")
    client = serializers.CharField(help_text="The door it came through: api, command.")
    lease = LeaseShape(allow_null=True, help_text="This edit's own, while it is live.")


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


class VersionOutcomeShape(serializers.Serializer):  # for check-outs and edits
    outcome = serializers.ChoiceField(["committed", "unchanged"])
    replayed = serializers.BooleanField(help_text="The first answer again; nothing was written.")
    version = VersionShape()


class ProposalOutcomeShape(serializers.Serializer):  # for check-outs and edits
    outcome = serializers.ChoiceField(["proposed"])
    replayed = serializers.BooleanField(help_text="The first answer again; nothing was written.")
    proposal = ProposalShape()


class WithVersionShape(VersionOutcomeShape):
    checkout = CheckoutShape()
    next_checkout = CheckoutShape(allow_null=True, help_text="What `keep` opened.")


class WithProposalShape(ProposalOutcomeShape):
    checkout = CheckoutShape()
    next_checkout = CheckoutShape(allow_null=True, help_text="A proposal has none.")


class EditWithVersionShape(VersionOutcomeShape):
    edit = EditShape()


class EditWithProposalShape(ProposalOutcomeShape):
    edit = EditShape()


AnyOutcome = PolymorphicProxySerializer(
    component_name="Outcome", serializers=[WithVersionShape, WithProposalShape], resource_type_field_name=None
)
AnyEditOutcome = PolymorphicProxySerializer(
    component_name="EditOutcome",
    serializers=[EditWithVersionShape, EditWithProposalShape],
    resource_type_field_name=None,
)
