"""The authentication backend, which loads the signed-in account once for each request of a browser."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.db.models import Exists, OuterRef

from leasehold.models import Membership, Role, User


class Accounts(ModelBackend):
    """Django's backend, plus `user.is_operator`: whether the account is an operator in any project.

    It is read in the same statement, since the head of every page needs it to show the link to the operators' queue.
    """

    def get_user(self, user_id: Any) -> User | None:
        operates = Membership.objects.filter(user=OuterRef("pk"), role=Role.OPERATOR)
        user = User.objects.annotate(is_operator=Exists(operates)).filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
