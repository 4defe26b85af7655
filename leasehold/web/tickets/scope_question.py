"""A question about a ticket's scope, asked before it is made: a key that reserves no file, where another one would."""

from django.http import HttpRequest

from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.models import Project
from leasehold.scopes.meanings import Meaning, doubtful_keys
from leasehold.web.forms import lines_of


class Asking:
    """The form's own answer, if it carries one: `mean` is `files` or `names`, for the places in `asked`.

    `known`: places that are declared already, which are not asked about again. `kept`: those that the reader has said
    are names; the form carries them along.
    """

    def __init__(self, request: HttpRequest, known: set[str] | None = None) -> None:
        self.mean = request.POST.get("mean", "")
        self.asked = set(request.POST.getlist("asked"))
        self.kept = set(request.POST.getlist("kept")) | (self.asked if self.mean == "names" else set())
        self.known = known or set()
        self.doubts: list[Meaning] = []

    def judged(self, actor: Actor, home: Project | None, scope: str) -> str:
        """The scope as it is meant, one key on each line; `doubts` are what must be asked first."""
        lines = lines_of(scope)
        try:
            found = doubtful_keys(actor, home, lines) if home else []
        except Invalid:  # the action says what is wrong with it
            return scope
        found = [one for one in found if one.place not in self.kept | self.known]
        if self.mean == "files":
            meant = {one.place: one.instead for one in found if one.place in self.asked}
            lines = [meant.get(names.comparing(names.normalised(line)), line) for line in lines]
            found = [one for one in found if one.place not in meant]
        self.doubts = found
        return "\n".join(lines) if self.mean == "files" else scope
