"""Who is signed in, read once for each request of a browser."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.db.models import Exists, OuterRef

from leasehold.models import Membership, Role, User


class Accounts(ModelBackend):
    """Django's own, which reads in the same statement whether the account is an operator anywhere: `is_operator`.

    Every page's head asks that, to offer the operators' queue.
    """

    def get_user(self, user_id: Any) -> User | None:
        operates = Membership.objects.filter(user=OuterRef("pk"), role=Role.OPERATOR)
        user = User.objects.annotate(is_operator=Exists(operates)).filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
