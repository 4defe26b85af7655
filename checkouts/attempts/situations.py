"""`Situation`: what an attempt is judged by, read once and passed on."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Generic, TypeVar

from checkouts.models import Artifact, Attempt
from checkouts.rules import CheckInFacts, must_propose
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.rules import includes
from leasehold.scopes.reservations import Cover, covers

A = TypeVar("A", bound=Attempt)


@dataclass(frozen=True)
class Situation(Generic[A]):
    """What an attempt is judged by: its artifact and the live lease on that, whoever has it, as of `at`.

    The actions read it under the locks. A page reads it without them, to say what would happen now. `artifact` carries
    the actor's `role`.
    """

    actor: Actor
    attempt: A
    artifact: Artifact
    lease: HeldLease | None
    at: datetime

    @property
    def is_held(self) -> bool:
        """Is the live lease this attempt's own?"""
        return self.lease is not None and self.lease.holder == self.attempt.holder

    @property
    def is_held_by_another(self) -> bool:
        return self.lease is not None and self.lease.holder != self.attempt.holder

    @cached_property
    def covers(self) -> list[Cover]:
        """The held scope keys over the artifact. One statement, at the first use."""
        return covers([self.artifact.place], self.actor.user)

    @property
    def reserved_for_others(self) -> list[Cover]:
        """The keys of others' tickets over the artifact; none under a live lease, under which they do not count."""
        return [] if self.lease else [cover for cover in self.covers if cover.session is None]

    def facts_for(self, digest: str) -> CheckInFacts:
        """Return what the verdict on bytes with this digest is judged by."""
        attempt, artifact = self.attempt, self.artifact
        return CheckInFacts(
            is_own=attempt.actor_id == self.actor.user.pk,
            is_open=attempt.is_open,
            is_what_it_ended_with=attempt.result_digest == digest,
            is_head_digest=artifact.head.digest == digest,
            is_held_by_another=self.is_held_by_another,
            is_base_head=artifact.head_id == attempt.base_version_id,
            may_edit=includes(self.actor.effective(artifact.role), Role.EDITOR),
            is_archived=artifact.archived_at is not None,
            is_reserved_by_another=bool(self.reserved_for_others),
            must_propose=must_propose(is_agent=self.actor.user.is_agent, policy=artifact.policy),
        )
