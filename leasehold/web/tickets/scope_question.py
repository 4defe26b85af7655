"""The question before a ticket's form is saved: a scope key reserves no file, though another key would."""

from django.http import HttpRequest

from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.models import Project
from leasehold.scopes.meanings import Meaning, doubtful_keys
from leasehold.web.forms import lines_of


class ScopeQuestion:
    """The question on one page, and the answer to it, if the form has one.

    answer: `files` or `names`, for all places in `questioned`; empty before the question.
    confirmed: the places that the reader has confirmed as names; hidden fields keep them.
    known: places in the ticket's scope already; the form does not ask about them.
    doubts: the keys to ask about, once `resolve` has looked at them.
    """

    def __init__(self, request: HttpRequest, known: set[str] | None = None) -> None:
        self.answer = request.POST.get("answer", "")
        self.questioned = set(request.POST.getlist("questioned"))
        self.confirmed = set(request.POST.getlist("confirmed"))
        if self.answer == "names":
            self.confirmed |= self.questioned
        self.known = known or set()
        self.doubts: list[Meaning] = []

    def resolve(self, actor: Actor, home: Project | None, scope: str) -> str:
        """Return the scope with the reader's answer applied, one key on each line, and set `doubts`."""
        lines = lines_of(scope)
        try:
            doubts = doubtful_keys(actor, home, lines) if home else []
        except Invalid:  # the action refuses it with the reason
            return scope
        doubts = [doubt for doubt in doubts if doubt.place not in self.confirmed | self.known]
        if self.answer != "files":
            self.doubts = doubts
            return scope
        replacements = {doubt.place: doubt.instead for doubt in doubts if doubt.place in self.questioned}
        self.doubts = [doubt for doubt in doubts if doubt.place not in replacements]
        return "\n".join(replacements.get(names.comparing_form(names.normalised(line)), line) for line in lines)
