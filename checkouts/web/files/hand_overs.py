"""A check-out passes from one to another: an operator takes over, or it is handed to somebody."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from checkouts import wording
from checkouts.actions.breaks import take_over as take_over_action
from checkouts.actions.holds import hand_over as hand_over_action
from checkouts.models import Checkout
from checkouts.selectors import ArtifactWithLease, artifact_for, checkout_with_lease, own_lease
from checkouts.web.files.moves import about
from checkouts.web.links import artifact_url
from checkouts.web.promised_downloads import sent_with
from checkouts.web.views import signed_in
from checkouts.wording import YOU
from leasehold.actors import Actor
from leasehold.exceptions import LeaseLost
from leasehold.models import Project, Role, User
from leasehold.templatetags.parts import clock_words
from leasehold.web.confirmation import Field, confirm, reason_input
from leasehold.web.forms import say
from leasehold.web.reader import actor_of

CHOICES = 200  # editors offered by name


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def take_over(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor = actor_of(request)
    seen = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, seen.role)
    artifact, lease = seen.artifact, seen.live_lease

    def act() -> HttpResponse:
        granted = take_over_action(actor=actor, artifact_id=artifact_id, reason=request.POST.get("reason", ""))
        until = clock_words(granted.checkout.expires_at, granted.lease.at)
        version = granted.checkout.base_version.number
        held = wording.held_until(artifact.name, "yours", until)
        say(request, f"{held}\nVersion {version} is being downloaded.", "is-mine")
        return sent_with(granted.checkout)

    if lease is None:
        facts = about(actor, seen) | {
            "heading": f"{artifact.name} is free",
            "sub": "Nobody has it any more, so there is nothing to take over.",
            "will": [("check-out", "You check it out, as anybody could.")],
            "button": "Check it out",
            "button_icon": "check-out",
            "button_class": "btn-primary",
            "back_label": "Leave it",
        }
        return confirm(request, facts, [reason_input("")], act)
    who = lease.participant.partition(":")[2]
    facts = (
        about(actor, seen)
        | held_for(actor, seen)
        | {
            "heading": f"Take over {artifact.name} from {who}?",
            "will": wording.take_over_consequences(who),
            "button": f"Take over from {who}",
            "button_icon": "take-over",
            "back_label": f"Leave it with {who}",
        }
    )
    return confirm(request, facts, [reason_input(who)], act)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def hand_over(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """By its holder, or by an operator with a reason."""
    actor = actor_of(request)
    record = checkout_with_lease(actor, checkout_id)
    seen = artifact_for(actor, record.artifact_id)
    is_mine = record.actor_id == actor.user.pk
    if not is_mine:
        actor.demand_person()
        actor.demand(Role.OPERATOR, seen.role)
    if own_lease(record) is None or not record.is_open:
        raise LeaseLost("This check-out does not hold the file any more: there is nothing to hand over.")
    artifact, who = seen.artifact, record.actor.username

    def act() -> HttpResponse:
        granted = hand_over_action(
            actor=actor, checkout_id=checkout_id, to=request.POST.get("to", ""), reason=request.POST.get("reason", "")
        )
        now = granted.checkout
        until = clock_words(now.expires_at, granted.lease.at)
        whose = "yours" if now.actor_id == actor.user.pk else f"{now.actor.username}’s"
        say(
            request,
            f"{wording.held_until(artifact.name, whose, until)}\nIt starts from version {now.base_version.number}.",
            "is-free",
        )
        return redirect(artifact_url(artifact))

    facts = (
        about(actor, seen)
        | held_for(actor, seen)
        | {
            "heading": f"Hand {artifact.name} over" + ("" if is_mine else f", which {who} has"),
            "will": wording.hand_over_consequences(YOU if is_mine else who, f"version {artifact.head.number}"),
            "button": "Hand it over",
            "button_icon": "hand-over",
            "button_class": "btn-primary" if is_mine else "btn-danger-fill",
            "back_label": "Keep it" if is_mine else f"Leave it with {who}",
        }
    )
    to = Field("to", "To whom", "select", options=people(artifact.project, besides=record), required=True)
    return confirm(request, facts, [to, reason_input("They" if is_mine else who, required=not is_mine)], act)


def held_for(actor: Actor, seen: ArtifactWithLease) -> dict[str, str]:
    """Who has it until when, and what for."""
    lease = seen.live_lease
    if lease is None or lease.expires_at is None:
        return {"sub": ""}
    until = clock_words(lease.expires_at, seen.at)
    is_mine = lease.participant == actor.participant
    who = "You have" if is_mine else f"{lease.participant.partition(':')[2]} has"
    return {"sub": f"{who} it until {until}.", "purpose": lease.purpose}


def people(project: Project, *, besides: Checkout) -> list[tuple[str, str]]:
    """Who may have it: active people who may edit here, by name."""
    editors = User.objects.filter(
        is_active=True,
        kind=User.Kind.PERSON,
        memberships__project=project,
        memberships__role__in=[Role.EDITOR, Role.OPERATOR],
    ).exclude(pk=besides.actor_id)
    return [(one.username, label(one)) for one in editors.order_by("username")[:CHOICES]]


def label(user: User) -> str:
    return f"{user.username} ({user.name})" if user.name and user.name != user.username else user.username
