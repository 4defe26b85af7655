"""The question that a ticket's form asks before it saves a scope key that reserves no file, where another key would."""

from django.http import HttpRequest

from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.models import Project
from leasehold.scopes.meanings import Meaning, doubtful_keys
from leasehold.web.forms import lines_of


class ScopeQuestion:
    """The question of one request, and the reader's answer to it, if the form carries one.

    answer: `files` or `names`, for the places in `asked_places`; empty before the question was asked.
    confirmed_names: the places that the reader has confirmed as names; the form carries them along.
    known: places that are in the ticket's scope already, about which the form does not ask.
    doubts: the keys to ask about, once `resolve` has looked at them.
    """

    def __init__(self, request: HttpRequest, known: set[str] | None = None) -> None:
        self.answer = request.POST.get("mean", "")
        self.asked_places = set(request.POST.getlist("asked"))
        self.confirmed_names = set(request.POST.getlist("kept"))
        if self.answer == "names":
            self.confirmed_names |= self.asked_places
        self.known = known or set()
        self.doubts: list[Meaning] = []

    def resolve(self, actor: Actor, home: Project | None, scope: str) -> str:
        """Return the scope with the reader's answer applied, one key on each line, and set `doubts`."""
        lines = lines_of(scope)
        try:
            doubts = doubtful_keys(actor, home, lines) if home else []
        except Invalid:  # the action refuses it with the reason
            return scope
        doubts = [doubt for doubt in doubts if doubt.place not in self.confirmed_names | self.known]
        if self.answer != "files":
            self.doubts = doubts
            return scope
        replacements = {doubt.place: doubt.instead for doubt in doubts if doubt.place in self.asked_places}
        self.doubts = [doubt for doubt in doubts if doubt.place not in replacements]
        return "\n".join(replacements.get(names.comparing_form(names.normalised(line)), line) for line in lines)
