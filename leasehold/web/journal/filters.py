"""Translate the text in the journal's filters into participants and subjects."""

from collections.abc import Callable, Sequence

from django.db.models import Q
from django.db.models.functions import Lower

from leasehold.actors import Actor
from leasehold.models import Project, User
from leasehold.registry import Registry
from leasehold.web.journal.sentences import SUBJECT_NAMES

#: kind of subject → the upper floor's search for them: (actor, the actor's projects, words) → subjects
SUBJECT_SEARCHES: Registry[str, Callable[[Actor, Sequence[Project], str], list[str]]] = Registry()


def participants(who: str) -> list[str]:
    """Return the participants that `who` can mean: a username or full name, ignoring case, or a participant."""
    key = who.lower()
    people = User.objects.alias(key=Lower("username"), name_key=Lower("name"))
    found = people.filter(Q(key=key) | Q(name=who) | Q(name_key=key)).order_by("pk")
    return [who, f"user:{who}", f"agent:{who}", *(user.participant for user in found)]


def subjects(actor: Actor, projects: Sequence[Project], words: str) -> list[str]:
    """Return the subjects that `words` can mean.

    A subject (`artifact:12`), a ticket's number, a project's slug or name, or what the SUBJECT_SEARCHES find.
    """
    kind, _, number = words.partition(":")
    if kind in SUBJECT_NAMES and number.isdecimal():
        return [words]
    found = [f"ticket:{words}"] if words.isdecimal() else []
    found += [f"project:{project.pk}" for project in projects if words.lower() in (project.slug, project.name.lower())]
    for search in SUBJECT_SEARCHES.values():
        found += search(actor, projects, words)
    return found or [words]
