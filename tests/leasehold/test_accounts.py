import pytest

from leasehold.actions.accounts import create_first_administrator, create_user, set_password
from leasehold.actions.profile import change_password
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Entry, User
from tests.factories import PASSWORD

GOOD = "seven green bottles"


def test_a_superuser_creates_an_account(admin):
    carol = create_user(actor=Actor(admin), username="carol", password=GOOD, name="Carol Cox")
    assert carol.check_password(GOOD)
    assert (carol.participant, carol.is_superuser, carol.get_full_name()) == ("user:carol", False, "Carol Cox")
    entry = Entry.objects.get(kind="account_created")
    assert (entry.participant, entry.subject, entry.data["name"]) == ("user:admin", f"user:{carol.pk}", "carol")
    assert GOOD not in str(entry.data)


def test_the_command_line_needs_no_account(db):
    create_user(actor=None, username="carol", password="weak")
    assert Entry.objects.get(kind="account_created").participant == "system:command"


@pytest.mark.parametrize("scope", ["read", "write"])
def test_nobody_else_creates_accounts(olga, admin, scope):
    for actor in (Actor(olga), Actor(admin, scope=scope)):
        with pytest.raises(Forbidden):
            create_user(actor=actor, username="carol", password=GOOD)


def test_names_are_unique_without_regard_to_case(alice):
    with pytest.raises(Invalid, match="username: This name is taken"):
        create_user(actor=None, username="ALICE", password=GOOD)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a/b", "a:b", "x\0", "é", "A\u030a", "\ud800", "a\n", "a" * 151, None, 7, ["alice"]]
)
def test_a_malformed_name_is_refused(db, name):
    if name == "a\n":
        assert create_user(actor=None, username=name, password=GOOD).username == "a"
        return
    with pytest.raises(Invalid) as refused:
        create_user(actor=None, username=name, password=GOOD)
    assert refused.value.errors[0]["field"] == "username"
    assert not User.objects.exists()


def test_a_weak_password_is_refused_with_every_reason(admin):
    with pytest.raises(Invalid) as refused:
        create_user(actor=Actor(admin), username="carol", password="123")
    assert [error["field"] for error in refused.value.errors] == ["password"] * 3


def test_an_agent_has_no_password(db):
    planner = create_user(actor=None, username="planner", kind="agent")
    assert planner.participant == "agent:planner"
    assert not planner.has_usable_password()
    with pytest.raises(Invalid):
        create_user(actor=None, username="other", kind="agent", password=GOOD)
    with pytest.raises(Invalid):
        set_password(actor=None, user=planner, password=GOOD)


def test_an_unknown_kind_is_refused(db):
    with pytest.raises(Invalid, match="kind"):
        create_user(actor=None, username="x", kind="robot")


def test_alice_sets_only_her_own_password(alice, bob, admin):
    set_password(actor=Actor(alice), user=alice, password=GOOD)
    assert User.objects.get(pk=alice.pk).check_password(GOOD)
    with pytest.raises(Forbidden):
        set_password(actor=Actor(alice), user=bob, password=GOOD)
    with pytest.raises(Forbidden):
        set_password(actor=Actor(alice, scope="write"), user=alice, password=GOOD)
    set_password(actor=Actor(admin), user=bob, password=GOOD)
    assert Entry.objects.filter(kind="password_set").count() == 2


def test_the_first_administrator_is_created_once(db):
    password = create_first_administrator()
    admin = User.objects.get(username="admin")
    assert admin.check_password(password)
    assert admin.is_superuser
    assert admin.is_staff
    assert create_first_administrator(password="another") is None
    assert User.objects.get().check_password(password)


def test_the_first_administrators_password_can_be_given(db):
    assert create_first_administrator(password="short") == "short"


def test_changing_a_password_needs_the_current_one(alice: User):
    with pytest.raises(Invalid) as refusal:
        change_password(actor=Actor(alice), current="a guess", password="another good passphrase")
    assert refusal.value.errors[0]["field"] == "current"
    change_password(actor=Actor(alice), current=PASSWORD, password="another good passphrase")
    alice.refresh_from_db()
    assert alice.check_password("another good passphrase")
    with pytest.raises(Forbidden):
        change_password(actor=Actor(alice, scope="write"), current="another good passphrase", password="x")
