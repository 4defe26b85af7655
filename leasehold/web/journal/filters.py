"""What the journal's filters understand: people and things by the names that its rows show."""

from collections.abc import Callable, Sequence

from django.db.models import Q
from django.db.models.functions import Lower

from leasehold.actors import Actor
from leasehold.models import Project, User
from leasehold.web.journal.sentences import NAMED

#: what the floor above finds by its words: (actor, the actor's projects, words) → subjects
FOUND: list[Callable[[Actor, Sequence[Project], str], list[str]]] = []


def participants(who: str) -> list[str]:
    """Who is meant by a username or by the name shown in its place, whatever the case; or a participant as it is."""
    key = who.lower()
    people = User.objects.alias(key=Lower("username"), name_key=Lower("name"))
    found = people.filter(Q(key=key) | Q(name=who) | Q(name_key=key)).order_by("pk")
    return [who, f"user:{who}", f"agent:{who}", *(user.participant for user in found)]


def subjects(actor: Actor, projects: Sequence[Project], words: str) -> list[str]:
    """What is meant by `artifact:12`, by a ticket's number, by a project's slug or name, or by what is FOUND above."""
    kind, _, number = words.partition(":")
    if kind in NAMED and number.isdecimal():
        return [words]
    found = [f"ticket:{words}"] if words.isdecimal() else []
    found += [f"project:{one.pk}" for one in projects if words.lower() in (one.slug, one.name.lower())]
    for find in FOUND:
        found += find(actor, projects, words)
    return found or [words]
