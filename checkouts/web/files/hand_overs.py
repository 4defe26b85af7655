"""Take over a check-out, as an operator, or hand it over to somebody."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from checkouts import wording
from checkouts.actions.breaks import take_over as take_over_action
from checkouts.actions.holds import hand_over as hand_over_action
from checkouts.models import Checkout
from checkouts.selectors import ArtifactWithLease, artifact_for, checkout_with_lease, own_lease
from checkouts.web.files.moves import confirmation_context, file_to_decide_on
from checkouts.web.links import artifact_url
from checkouts.web.promised_downloads import redirect_with_download
from checkouts.web.views import signed_in
from checkouts.wording import YOU
from leasehold.actors import Actor
from leasehold.exceptions import LeaseLost
from leasehold.models import Project, Role, User
from leasehold.templatetags.parts import clock_words
from leasehold.web.confirmation import Field, confirm, reason_input
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of

CHOICES = 200  # people in the select field


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def take_over(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor, file = file_to_decide_on(request, artifact_id)
    artifact, lease = file.artifact, file.live_lease

    def submit() -> HttpResponse:
        granted = take_over_action(actor=actor, artifact_id=artifact_id, reason=request.POST.get("reason", ""))
        until = clock_words(granted.checkout.expires_at, granted.lease.at)
        version = granted.checkout.base_version.number
        held = wording.held_until(artifact.name, "yours", until)
        add_message(request, f"{held}\nVersion {version} is being downloaded.", "is-mine")
        return redirect_with_download(granted.checkout)

    if lease is None:
        context = confirmation_context(actor, file) | {
            "heading": f"{artifact.name} is free",
            "sub": "Nobody has it any more, so there is nothing to take over.",
            "will": [("check-out", "You check it out, as anybody could.")],
            "button": "Check it out",
            "button_icon": "check-out",
            "button_class": "btn-primary",
            "back_label": "Leave it",
        }
        return confirm(request, context, [reason_input("")], submit)
    who = lease.participant.partition(":")[2]
    context = (
        confirmation_context(actor, file)
        | holder_context(actor, file)
        | {
            "heading": f"Take over {artifact.name} from {who}?",
            "will": wording.take_over_effects(who),
            "button": f"Take over from {who}",
            "button_icon": "take-over",
            "back_label": f"Leave it with {who}",
        }
    )
    return confirm(request, context, [reason_input(who)], submit)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def hand_over(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """For its holder, or for an operator with a reason."""
    actor = actor_of(request)
    checkout = checkout_with_lease(actor, checkout_id)
    file = artifact_for(actor, checkout.artifact_id)
    is_mine = checkout.actor_id == actor.user.pk
    if not is_mine:
        actor.demand_person()
        actor.demand(Role.OPERATOR, file.role)
    if own_lease(checkout) is None or not checkout.is_open:
        raise LeaseLost("This check-out does not hold the file any more: there is nothing to hand over.")
    artifact, who = file.artifact, checkout.actor.username

    def submit() -> HttpResponse:
        granted = hand_over_action(
            actor=actor, checkout_id=checkout_id, to=request.POST.get("to", ""), reason=request.POST.get("reason", "")
        )
        new = granted.checkout
        until = clock_words(new.expires_at, granted.lease.at)
        whose = "yours" if new.actor_id == actor.user.pk else f"{new.actor.username}’s"
        add_message(
            request,
            f"{wording.held_until(artifact.name, whose, until)}\nIt starts from version {new.base_version.number}.",
            "is-free",
        )
        return redirect(artifact_url(artifact))

    context = (
        confirmation_context(actor, file)
        | holder_context(actor, file)
        | {
            "heading": f"Hand {artifact.name} over" + ("" if is_mine else f", which {who} has"),
            "will": wording.hand_over_effects(YOU if is_mine else who, f"version {artifact.head.number}"),
            "button": "Hand it over",
            "button_icon": "hand-over",
            "button_class": "btn-primary" if is_mine else "btn-danger-fill",
            "back_label": "Keep it" if is_mine else f"Leave it with {who}",
        }
    )
    to = Field("to", "To whom", "select", options=receiver_choices(artifact.project, besides=checkout), required=True)
    return confirm(request, context, [to, reason_input("They" if is_mine else who, required=not is_mine)], submit)


def holder_context(actor: Actor, file: ArtifactWithLease) -> dict[str, str]:
    """Return who holds the file until when, and the purpose."""
    lease = file.live_lease
    if lease is None or lease.expires_at is None:
        return {"sub": ""}
    until = clock_words(lease.expires_at, file.at)
    is_mine = lease.participant == actor.participant
    who = "You have" if is_mine else f"{lease.participant.partition(':')[2]} has"
    return {"sub": f"{who} it until {until}.", "purpose": lease.purpose}


def receiver_choices(project: Project, *, besides: Checkout) -> list[tuple[str, str]]:
    """Return (username, label) of the active people who may edit here, without the check-out's holder."""
    editors = User.objects.filter(
        is_active=True,
        kind=User.Kind.PERSON,
        memberships__project=project,
        memberships__role__in=[Role.EDITOR, Role.OPERATOR],
    ).exclude(pk=besides.actor_id)
    return [(user.username, user_label(user)) for user in editors.order_by("username")[:CHOICES]]


def user_label(user: User) -> str:
    return f"{user.username} ({user.name})" if user.name and user.name != user.username else user.username
