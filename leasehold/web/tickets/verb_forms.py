"""The forms on a ticket's page: one for each verb that the reader can use, with what will happen."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from leasehold import wording
from leasehold.actions import sessions
from leasehold.templatetags.parts import span
from leasehold.web.tickets.runs import Run
from leasehold.wording import Effect

WORKDAY = 8 * 3_600  # seconds, the default for a session started here: people do not check in every 15 minutes
DURATIONS = [(seconds, span(seconds)) for seconds in (900, 3_600, 4 * 3_600, 8 * 3_600, 24 * 3_600)]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbForm:
    """One form on the ticket's page.

    heading, consequence: its title and the line below it. effects: what will happen, in sentences.
    button, icon: the label of the submit button and the icon in it.
    field: the name of the only input, `reason` (required), `note` or `worker`; empty without an input. hint: its help
    text. value, error: its content and what is wrong with it, after a POST that was refused.
    ttl: the selected duration in seconds, where the form asks for one.
    since: the ticket's `state_since` as the page shows it; the action is refused if somebody has decided since.
    """

    verb: str
    heading: str
    consequence: str
    effects: list[Effect]
    button: str
    icon: str
    field: str = ""
    hint: str = ""
    value: str = ""
    error: str = ""
    ttl: int | None = None
    since: datetime | None = None
    is_grave: bool = False
    is_open: bool = False

    @property
    def durations(self) -> list[tuple[int, str]]:
        """Seconds and label of each choice; `ttl` is always among them."""
        known = dict(DURATIONS)
        return DURATIONS if self.ttl in known else [(self.ttl or 0, span(self.ttl or 0)), *DURATIONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFacts:
    """What the texts of the forms depend on.

    scope: the ticket's keys in words. run: its newest session, or None. since: as in `VerbForm`.
    """

    scope: str
    run: Run | None
    since: datetime | None

    @property
    def worker(self) -> str:
        return self.run.session.worker.username if self.run else "the worker"

    @property
    def ttl(self) -> int:
        """The duration in seconds that the newest session asked for, at least the default."""
        return max(self.run.session.ttl, sessions.DEFAULT_TTL) if self.run else sessions.DEFAULT_TTL

    @property
    def reason_hint(self) -> str:
        return f"{self.worker} reads this. It goes into the journal."


def forms_for(verbs: list[str], facts: FormFacts) -> list[VerbForm]:
    """Return the forms for `verbs`, in the order of the page. A verb without a form (`edit`) is left out."""
    return [form_of(facts) for verb, form_of in FORMS.items() if verb in verbs]


def with_one_open(forms: list[VerbForm], verb: str, *, value: str = "", error: str = "") -> list[VerbForm]:
    """Return the forms with that of `verb` open, filled with `value` and marked with `error`; else the first open."""
    if any(form.verb == verb for form in forms):
        return [replace(form, is_open=True, value=value, error=error) if form.verb == verb else form for form in forms]
    return [replace(form, is_open=True) for form in forms[:1]] + forms[1:]


def approve_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="approve",
        heading="Approve",
        consequence="It can be started then.",
        effects=wording.approve_effects(),
        button="Approve",
        icon="approve",
        since=facts.since,
    )


def start_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="start",
        heading="Start",
        consequence=f"Reserves {facts.scope} for you.",
        effects=[
            ("scope", f"Its scope is reserved, with everything below, all or nothing: {facts.scope}."),
            ("session", "A session of yours begins. Say before its time is over that you are still at it."),
            ("blocked", "If the time runs out, the ticket is blocked, and an operator decides."),
        ],
        button="Start",
        icon="play",
        ttl=WORKDAY,
        since=facts.since,
    )


def checkpoint_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="checkpoint",
        heading="Say how far you are",
        consequence="A checkpoint: it renews your time.",
        effects=[("extend", "Your session’s time begins anew.")],
        button="Send a checkpoint",
        icon="session",
        field="note",
        hint="What stands, for whoever reads along. It may stay empty.",
        ttl=facts.ttl,
    )


def submit_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="submit",
        heading="Submit for review",
        consequence="The work is ready.",
        effects=[
            ("review", "Your session ends, and an operator looks at the work."),
            ("scope", f"Its scope stays reserved until the operator decides: {facts.scope}."),
            ("check-out", "Refused while the session has files checked out: check them in or discard them first."),
        ],
        button="Submit",
        icon="review",
        field="note",
        hint="What the reviewer should know. It may stay empty.",
    )


def accept_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="accept",
        heading="Accept",
        consequence="The work is done.",
        effects=wording.accept_effects(facts.scope),
        button="Accept",
        icon="approve",
        since=facts.since,
    )


def resume_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="resume",
        heading="Let it go on",
        consequence=f"Another session, for {facts.worker} or somebody else.",
        effects=wording.resume_effects(facts.scope),
        button="Resume",
        icon="play",
        field="worker",
        hint=f"An editor’s name. Empty: {facts.worker}.",
        ttl=facts.ttl,
        since=facts.since,
    )


def send_back_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="send_back",
        heading="Send back",
        consequence="To be started anew.",
        effects=wording.send_back_effects(facts.scope),
        button="Send back",
        icon="send-back",
        field="reason",
        hint=facts.reason_hint,
        since=facts.since,
    )


def block_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="block",
        heading="Block",
        consequence="You cannot go on.",
        effects=[
            ("blocked", "Your session ends, and an operator decides: resume, send back or cancel."),
            ("scope", f"Its scope stays reserved until then: {facts.scope}."),
        ],
        button="Block it",
        icon="blocked",
        field="reason",
        hint="An operator reads this.",
    )


def stop_form(facts: FormFacts) -> VerbForm:
    return VerbForm(
        verb="stop",
        heading=f"Ask {facts.worker} to stop",
        consequence="Changes nothing else.",
        effects=wording.stop_effects(facts.worker),
        button="Ask to stop",
        icon="pause",
        field="reason",
        hint=facts.reason_hint,
    )


def cancel_form(facts: FormFacts) -> VerbForm:
    has_live_session = facts.run is not None and facts.run.is_live
    return VerbForm(
        verb="cancel",
        heading="Cancel this ticket",
        consequence="Final.",
        effects=wording.cancel_effects(facts.scope, has_live_session=has_live_session),
        button="Cancel for good",
        icon="cancelled",
        field="reason",
        hint="It goes into the journal.",
        since=facts.since,
        is_grave=True,
    )


#: verb → its form, in the order of the page
FORMS: dict[str, Callable[[FormFacts], VerbForm]] = {
    "approve": approve_form,
    "start": start_form,
    "checkpoint": checkpoint_form,
    "submit": submit_form,
    "accept": accept_form,
    "resume": resume_form,
    "send_back": send_back_form,
    "block": block_form,
    "stop": stop_form,
    "cancel": cancel_form,
}
