"""Fields of tickets and sessions. Request serializers validate; response serializers (`…Shape`) only document."""

from rest_framework import serializers

from leasehold.actions.sessions import DEFAULT_TTL
from leasehold.actions.tickets import MOST_KEYS
from leasehold.api.base.fields import Text, Timestamp, Ttl
from leasehold.models import Failure, Session, Ticket

SINCE = "The `state_since` that the decision rests on: if the ticket has changed since, 409 `wrong_state`."


class NewTicket(serializers.Serializer):
    project = Text(50, help_text="The slug.")
    title = Text(200)
    description = Text(20_000, required=False, allow_blank=True)
    scope = serializers.ListField(
        child=Text(1_024, trim_whitespace=False), min_length=1, max_length=MOST_KEYS, help_text="Keys: `repo/api`."
    )


class TicketChange(serializers.Serializer):
    title = Text(200, required=False)
    description = Text(20_000, required=False, allow_blank=True)
    scope = serializers.ListField(
        child=Text(1_024, trim_whitespace=False), min_length=1, max_length=MOST_KEYS, required=False
    )


class DecisionBody(serializers.Serializer):
    since = Timestamp(required=False, help_text=SINCE)


class ReasonedBody(DecisionBody):
    reason = Text(500, help_text="Why; it is kept.")


class StartBody(DecisionBody):
    ttl = Ttl(required=False, help_text=f"Seconds; {DEFAULT_TTL} by default.")
    label = Text(200, required=False, allow_blank=True, help_text="What the worker calls this run.")  # type: ignore[assignment]  # the column's name


class ResumeBody(DecisionBody):
    worker = Text(150, required=False, help_text="The account's name; the last worker by default.")
    ttl = Ttl(required=False, help_text="Seconds; by default what the last session asked for.")
    label = Text(200, required=False, allow_blank=True)  # type: ignore[assignment]  # the column's name


class CheckpointBody(serializers.Serializer):
    note = Text(10_000, required=False, allow_blank=True)
    ttl = Ttl(required=False, help_text="Seconds from now; by default what was first asked for.")


class SubmitBody(serializers.Serializer):
    note = Text(10_000, required=False, allow_blank=True)


class ReasonBody(serializers.Serializer):
    reason = Text(500, help_text="Why; it is kept.")


class ScopeKeyShape(serializers.Serializer):
    key = serializers.CharField()
    holder = serializers.CharField(allow_null=True, help_text="The ticket that reserves it now, here or above.")
    acquired_at = serializers.DateTimeField(allow_null=True)


class CheckpointShape(serializers.Serializer):
    at = serializers.DateTimeField()
    note = serializers.CharField()
    lease_until = serializers.DateTimeField()


class OpenCheckoutShape(serializers.Serializer):
    id = serializers.IntegerField()
    artifact = serializers.IntegerField()
    path = serializers.CharField()


class SessionShape(serializers.Serializer):
    id = serializers.IntegerField()
    ticket = serializers.IntegerField()
    project = serializers.CharField()
    worker = serializers.CharField(help_text="The account's name.")
    participant = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the column's name
    status = serializers.ChoiceField(Session.Status.choices)
    started_at = serializers.DateTimeField()
    lease_until = serializers.DateTimeField()
    expires_in = serializers.IntegerField(help_text="Whole seconds, rounded up; 0 once it has lapsed or ended.")
    is_lapsed = serializers.BooleanField(help_text="Past its lease, which nothing has written down yet.")
    ended_at = serializers.DateTimeField(allow_null=True)
    outcome = serializers.CharField(help_text="The worker's last word, or the reason of the end.")
    stop_requested = serializers.BooleanField(help_text="An operator asks the worker to stop.")
    stop_requested_at = serializers.DateTimeField(allow_null=True)
    stop_requested_by = serializers.CharField(allow_null=True)
    stop_reason = serializers.CharField()


class SessionDetailShape(SessionShape):
    checkpoints = CheckpointShape(many=True, help_text="The newest first, at most 200.")
    open_checkouts = OpenCheckoutShape(many=True, help_text="Its check-outs that are still open; nothing ends those.")


class FailureShape(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(Failure.Kind.choices)
    session = serializers.IntegerField(allow_null=True)
    detail = serializers.CharField()
    at = serializers.DateTimeField()


class AuditedShape(serializers.Serializer):
    session = serializers.IntegerField()
    artifact = serializers.IntegerField()
    version = serializers.IntegerField()
    path = serializers.CharField(help_text="With the project's slug before it.")
    is_inside = serializers.BooleanField(help_text="Below one of the ticket's keys.")


class TicketShape(serializers.Serializer):
    id = serializers.IntegerField()
    project = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    status = serializers.ChoiceField(Ticket.Status.choices)
    state_since = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    participant = serializers.CharField(help_text="Who wrote it.")
    approved_by = serializers.CharField(allow_null=True)
    scope = ScopeKeyShape(many=True)


class TicketDetailShape(TicketShape):
    allowed = serializers.ListField(child=serializers.CharField(), help_text="What its state allows, whoever asks.")
    sessions = SessionShape(many=True, help_text="The newest first.")
    failures = FailureShape(many=True, help_text="The newest first.")
    scope_audit = AuditedShape(many=True, help_text="What was committed under its sessions.")
    open_checkouts = OpenCheckoutShape(many=True, help_text="Those of its sessions; nothing ends them.")
