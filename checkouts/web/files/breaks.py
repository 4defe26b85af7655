"""Break somebody's check-out, as an operator, after a confirmation page that asks for the reason."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from checkouts import wording
from checkouts.actions.breaks import break_checkout
from checkouts.models import Checkout
from checkouts.selectors import artifact_for, checkout_for
from checkouts.web.holds import checkout_id_of, hold_for
from checkouts.web.links import artifact_crumbs, artifact_url, redirect_back
from checkouts.web.views import signed_in
from leasehold.actors import Actor
from leasehold.models import Role
from leasehold.templatetags.parts import clock_words
from leasehold.web.confirmation import confirm, reason_input
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def break_(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """GET displays a confirmation page; POST breaks the check-out."""
    actor = actor_of(request)
    checkout = checkout_for(actor, checkout_id)
    demand_operator(actor, checkout)
    who, name = checkout.actor.username, checkout.artifact.name

    def submit() -> HttpResponse:
        broken = break_checkout(actor=actor, checkout_id=checkout_id, reason=request.POST.get("reason", ""))
        if broken.ended:
            add_message(request, f"{wording.break_result(who, name)}\nThe file is free.", "is-free")
        else:
            add_message(request, wording.empty_break_result(who, name), "is-lapsed")
        return redirect_back(request, checkout)

    return confirm(request, break_context(actor, checkout), [reason_input(who)], submit)


def break_context(actor: Actor, checkout: Checkout) -> dict[str, object]:
    """Return the context of the confirmation page: the holder, until when, and what will happen."""
    artifact, who = checkout.artifact, checkout.actor.username
    seen = artifact_for(actor, artifact.pk)
    is_theirs = checkout_id_of(seen.live_lease) == checkout.pk
    until = (
        f"They have it until {clock_words(checkout.expires_at, seen.at)}." if is_theirs else "Their lease has ended."
    )
    return {
        "at": seen.at,
        "crumbs": artifact_crumbs(artifact),
        "hold": hold_for(actor, seen.lease) if is_theirs else None,
        "heading": f"Break {who}’s check-out of {artifact.name}?",
        "sub": until,
        "purpose": checkout.purpose,
        "will": wording.break_effects(who),
        "button": f"Break {who}’s check-out",
        "button_icon": "break",
        "back": artifact_url(artifact),
        "back_label": f"Leave it with {who}",
    }


def demand_operator(actor: Actor, checkout: Checkout) -> None:
    """Raise `Forbidden` before the confirmation page is rendered. The action checks again."""
    actor.demand_person()
    actor.demand(Role.OPERATOR, artifact_for(actor, checkout.artifact_id).role)
