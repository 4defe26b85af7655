from hashlib import sha256

import pytest

from leasehold.actions.tokens import create_token, revoke_token
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Entry, Token


def test_only_the_digest_of_a_token_is_stored(alice):
    token, text = create_token(actor=Actor(alice), user=alice, name="laptop")
    assert text.startswith("lh_")
    assert len(text) == 46
    assert token.digest == sha256(text.encode()).hexdigest()
    assert (token.expires_at - token.created_at).days == 90
    entry = Entry.objects.get()
    assert (entry.kind, entry.subject) == ("token_created", f"user:{alice.pk}")
    assert text not in str(entry.data)


def test_the_default_scope_depends_on_the_kind_of_account(alice, planner):
    assert create_token(actor=None, user=alice, name="t")[0].scope == "admin"
    assert create_token(actor=None, user=planner, name="t")[0].scope == "write"
    assert create_token(actor=None, user=planner, name="t", scope="read", days=1)[0].scope == "read"


def test_only_the_owner_and_superusers_create_tokens(alice, bob, admin):
    with pytest.raises(Forbidden):
        create_token(actor=Actor(bob), user=alice, name="t")
    create_token(actor=Actor(admin), user=alice, name="t")


def test_a_token_below_admin_creates_no_tokens(alice, admin):
    for actor in (Actor(alice, scope="write"), Actor(admin, scope="write")):
        with pytest.raises(Forbidden):
            create_token(actor=actor, user=alice, name="t")


@pytest.mark.parametrize("days", [0, -1, 3651, 10**12, 0.5, True, "90", None, float("nan")])
def test_invalid_days_are_refused(alice, days):
    with pytest.raises(Invalid, match="days"):
        create_token(actor=None, user=alice, name="t", days=days)


@pytest.mark.parametrize("facts", [{"name": ""}, {"name": "x" * 101}, {"name": "a\0"}, {"name": "t", "scope": "root"}])
def test_other_invalid_values_are_refused(alice, facts):
    with pytest.raises(Invalid):
        create_token(actor=None, user=alice, **facts)
    assert not Token.objects.exists()


def test_a_disabled_account_gets_no_token(alice):
    alice.is_active = False
    with pytest.raises(Invalid, match="disabled"):
        create_token(actor=None, user=alice, name="t")


def test_revoking_again_changes_nothing(alice, bob):
    token, _ = create_token(actor=None, user=alice, name="t")
    with pytest.raises(Forbidden):
        revoke_token(actor=Actor(bob), token=token)
    revoke_token(actor=Actor(alice), token=token)
    first = Token.objects.get().revoked_at
    revoke_token(actor=Actor(alice), token=token)
    assert Token.objects.get().revoked_at == first
    assert Entry.objects.filter(kind="token_revoked").count() == 1
