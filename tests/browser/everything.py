"""Every page of the product in every state that a reader can meet, reached as a reader reaches it.

`set_up` creates one busy database through the actions; `stops_in` lists readers and the pages they open in it.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from PIL import Image
from playwright.sync_api import Page

from checkouts.actions import moves, proposals
from checkouts.actions.breaks import break_checkout
from checkouts.models import Artifact, Proposal
from leasehold.actions import passes
from leasehold.actions.tokens import create_token
from leasehold.actors import Actor
from leasehold.models import Role, Ticket
from tests import work
from tests.factories import make_member, make_project
from tests.scenes import back, out, put
from tests.web.conftest import added

DAY = 24 * 3600
LONG = f"{'long name ' * 25}.psd"
DEEP = f"{'y' * 200}/{'z' * 200}/{'no_spaces' * 27}.psd"
NAMES = (DEEP, "العربية/المشهد الأول.docx", "英雄/主角的披风（最终版）.psd", "mixed/🦸🏽‍♀️ emoji.blend", f"mixed/{LONG}")


@dataclass(frozen=True)
class Stop:
    """`who` ("": nobody yet) opens `path`, which is the URLconf's `name`, and does `first` there.

    `status` is the response to the address; the page after `first` is taken as it is.
    """

    who: str
    name: str
    path: str
    first: Callable[[Page], object] | None = None
    status: int = 200
    title: str = ""

    def __str__(self) -> str:
        return f"{self.who or 'nobody'} at {self.path}{', ' if self.title else ''}{self.title}"


def set_up(cast: SimpleNamespace, clock) -> SimpleNamespace:
    """Create files, tickets, proposals, passes and tokens in each of their states. Moves `clock` on by two days."""
    alice, bob, olga = cast.alice, cast.bob, cast.olga
    empty = make_project("empty", "A project whose name is so long that no list of projects has ever been made for it")
    make_member(empty, alice, Role.EDITOR)
    make_member(empty, cast.vera, Role.VIEWER)
    files = SimpleNamespace(**{name: put(alice, f"heroes/{name}.psd") for name in (
        "free", "mine", "bobs", "lapsed", "late", "broken", "archived", "ending", "agents",
    )})  # fmt: skip
    files.named = [put(alice, name) for name in NAMES]
    files.picture = added(alice, "heroes/picture.png", picture("navy"))
    kept = Kept(cast, clock, files.picture)
    made = [kept.proposal(number) for number in range(5)]
    proposals.reject(actor=Actor(olga), proposal_id=made[0].pk, reason="too dark")
    proposals.withdraw(actor=Actor(bob), proposal_id=made[1].pk)
    proposals.rebuild(actor=Actor(olga), proposal_id=made[2].pk)
    proposals.accept(actor=Actor(olga), proposal_id=Proposal.objects.latest("pk").pk)
    newest = kept.proposal(9)

    states = [Ticket.Status.BLOCKED, Ticket.Status.REVIEW, Ticket.Status.DONE, Ticket.Status.CANCELLED]
    tickets = {status: work.in_state(status, alice, olga, f"old-{status}") for status in states}
    tickets["RUN OUT"] = work.started(alice, olga, "terminal-3").ticket
    out(bob, files.lapsed, ttl=60)
    out(alice, files.late, ttl=60)
    clock.forward(seconds=2 * DAY)
    mine = out(alice, files.mine, purpose="repaint the cape").checkout
    bobs = out(bob, files.bobs, purpose="a purpose of some length, so that one sees how it breaks").checkout
    out(alice, files.ending, ttl=600)
    out(cast.planner, files.agents, purpose="nightly export")
    broken = out(alice, files.broken).checkout
    break_checkout(actor=Actor(olga), checkout_id=broken.pk, reason="alice is away")
    moves.archive(actor=Actor(alice), artifact_id=files.archived.pk)

    tickets[Ticket.Status.DRAFT] = work.draft(alice, "art/costs", "new-draft")
    tickets[Ticket.Status.APPROVED] = work.approved(alice, olga, "terminal-1/left", "new-key")
    tickets[Ticket.Status.IN_PROGRESS] = work.started(alice, olga, "terminal-1").ticket
    work.checkpoint(tickets[Ticket.Status.IN_PROGRESS].sessions.get(), note="half of it stands")
    passes.acquire_pass(actor=Actor(cast.planner), role="build", context="main", pass_id="p1", ttl=900)
    create_token(actor=Actor(alice), user=alice, name="export")
    return SimpleNamespace(
        cast=cast, files=files, tickets=tickets, made=made, newest=newest, mine=mine, bobs=bobs, broken=broken
    )


def picture(colour: str) -> bytes:
    drawn = io.BytesIO()
    Image.new("RGB", (640, 400), colour).save(drawn, "PNG")
    return drawn.getvalue()


@dataclass
class Kept:
    """bob checks in late with a picture of his own, several times."""

    cast: SimpleNamespace
    clock: object
    file: Artifact

    def proposal(self, number: int) -> Proposal:
        bobs = out(self.cast.bob, self.file, ttl=60).checkout
        self.clock.forward(minutes=2)
        alices = out(self.cast.alice, self.file).checkout
        back(self.cast.alice, alices, f"not a picture {number}", comment=f"state {number}")
        return back(self.cast.bob, bobs, f"bob's {number}", comment="with a hat").proposal


def post(address: str, /, **fields: str) -> Callable[[Page], None]:
    """Post a form of the page to another address, to reach pages that only follow a POST."""

    def send(page: Page) -> None:
        with page.expect_navigation():
            page.evaluate(
                """([path, fields]) => {
                    const form = document.querySelector("form[method=post]");
                    const token = form.elements.csrfmiddlewaretoken.value;
                    const copy = Object.assign(document.createElement("form"), { method: "post", action: path });
                    for (const [name, value] of Object.entries({ ...fields, csrfmiddlewaretoken: token }))
                        copy.append(Object.assign(document.createElement("input"), { name, value }));
                    document.body.append(copy);
                    copy.submit();
                }""",
                [address, fields],
            )

    return send


def chosen(file: dict) -> Callable[[Page], None]:
    return lambda page: page.set_input_files("#file", file)


def wrong_password(page: Page) -> None:
    page.fill("#username", "alice")
    page.fill("#password", "wrong")
    page.click("button:has-text('Sign in')")


def stops_in(world: SimpleNamespace) -> list[Stop]:
    return [
        *before_signing_in(),
        *projects(world),
        *artifacts(world),
        *acts_on_files(world),
        *board_desk_and_queue(world),
        *tickets(world),
        *proposal_pages(world),
        *accounts(world),
        *the_admin(world),
    ]


def before_signing_in() -> list[Stop]:
    return [
        Stop("", "sign-in", "/sign-in/?next=/board/"),
        Stop("", "sign-in", "/sign-in/", wrong_password, title="with a wrong password"),
        Stop("", "", "/nowhere/", status=404),
        Stop("alice", "", "/nowhere/", status=404),
        Stop("alice", "api-docs", "/api/v1/docs/"),
    ]


def projects(world: SimpleNamespace) -> list[Stop]:
    heroes = "/projects/art/?folder=heroes"
    art = [f"/projects/art/?folder=heroes&show={show}" for show in ("free", "mine", "others", "expiring", "archived")]
    return [
        Stop("alice", "projects", "/"),
        Stop("mallory", "projects", "/", title="without a project"),
        Stop("alice", "project", "/projects/art/"),
        *(Stop("alice", "project", path) for path in art),
        *(
            Stop("alice", "project", f"/projects/art/?folder={name}")
            for name in ("العربية", "英雄", "mixed", DEEP.rpartition("/")[0])
        ),
        Stop("vera", "project", heroes),
        Stop("alice", "project", heroes, lambda page: page.keyboard.press("?"), title="with the list of keys"),
        Stop("alice", "project", heroes, lambda page: page.check("[data-select-all]"), title="all selected"),
        Stop("alice", "project", heroes, lambda page: page.click("text=Add files"), title="adding files"),
        Stop("alice", "project", heroes, lambda page: page.click("text=Check in files"), title="checking in files"),
        Stop("alice", "project", heroes, lambda page: page.click("summary.who"), title="with the account's menu"),
        Stop("alice", "project", "/projects/art/?q=psd"),
        Stop("alice", "project", "/projects/art/?q=nothing+is+called+this"),
        Stop("alice", "project", "/projects/empty/"),
        Stop("vera", "project", "/projects/empty/"),
        *(Stop("alice", "project", f"/projects/empty/?show={show}") for show in ("free", "mine", "others", "expiring")),
        Stop("olga", "members", "/projects/art/members/"),
        Stop("olga", "remove-member", "/projects/art/members/vera/remove/"),
        Stop("alice", "check-out-folder", "/projects/art/folder/?folder=heroes"),
    ]


def artifacts(world: SimpleNamespace) -> list[Stop]:
    files = world.files
    empty = {"name": "mine.psd", "mimeType": "image/vnd.adobe.photoshop", "buffer": b""}
    whole = empty | {"buffer": b"another state"}
    more = lambda page: page.click(".head summary")  # noqa: E731
    return [
        *(
            Stop("alice", "artifact", f"/artifacts/{file.pk}/")
            for file in vars(files).values()
            if file is not files.named
        ),
        *(Stop("alice", "artifact", f"/artifacts/{file.pk}/") for file in files.named),
        Stop("alice", "artifact", f"/artifacts/{files.mine.pk}/", chosen(whole), title="a file chosen"),
        Stop("alice", "artifact", f"/artifacts/{files.mine.pk}/", chosen(empty), title="an empty file chosen"),
        Stop("alice", "artifact", f"/artifacts/{files.mine.pk}/", more, title="with its menu"),
        Stop("vera", "artifact", f"/artifacts/{files.free.pk}/"),
        Stop("olga", "artifact", f"/artifacts/{files.bobs.pk}/"),
        Stop("bob", "artifact", f"/artifacts/{files.lapsed.pk}/"),
    ]


def acts_on_files(world: SimpleNamespace) -> list[Stop]:
    files, mine, bobs = world.files, f"/checkouts/{world.mine.pk}", f"/checkouts/{world.bobs.pk}"
    free, held, picture = (f"/artifacts/{file.pk}" for file in (files.free, files.bobs, files.picture))
    return [
        Stop("alice", "rename", f"{free}/rename/"),
        Stop("alice", "rename", f"/artifacts/{files.named[0].pk}/rename/"),
        Stop("alice", "archive", f"{free}/archive/"),
        Stop("alice", "unarchive", f"/artifacts/{files.archived.pk}/unarchive/"),
        Stop("alice", "restore", f"{picture}/versions/1/restore/"),
        Stop("olga", "write-policy", f"{free}/write-policy/"),
        Stop("olga", "take-over", f"{held}/take-over/"),
        Stop("olga", "break", f"{bobs}/break/"),
        Stop("olga", "break", f"{bobs}/break/", post(f"{bobs}/break/", reason=""), title="without a reason"),
        Stop("alice", "hand-over", f"{mine}/hand-over/"),
        Stop("alice", "check-out", f"{free}/", post(f"{held}/checkouts/"), title="refused: bob has it"),
        Stop("alice", "check-out-many", f"{free}/", post("/projects/art/checkouts/", artifact=str(files.bobs.pk)),
             title="several, refused: bob has one"),
        Stop("alice", "rename", f"{free}/", post(f"{free}/rename/", path=files.bobs.path), title="refused: taken"),
        Stop("alice", "rename", f"{free}/", post(f"{held}/rename/", path="x"), title="refused: bob has it"),
        Stop("alice", "break", f"{bobs}/break/", status=403),
    ]  # fmt: skip


def board_desk_and_queue(world: SimpleNamespace) -> list[Stop]:
    shows = ("all", "mine", "expiring", "lapsed")
    return [
        *(Stop("alice", "board", f"/board/?show={show}") for show in shows),
        *(Stop("mallory", "board", f"/board/?show={show}") for show in shows),
        Stop("alice", "desk", "/desk/"),
        Stop("bob", "desk", "/desk/"),
        Stop("mallory", "desk", "/desk/", title="empty"),
        Stop("olga", "operators", "/operators/"),
        Stop("admin", "operators", "/operators/"),
    ]


def tickets(world: SimpleNamespace) -> list[Stop]:
    draft = world.tickets[Ticket.Status.DRAFT].pk
    return [
        Stop("alice", "tickets", "/tickets/"),
        Stop("olga", "tickets", "/tickets/?show=stale"),
        Stop("olga", "tickets", "/tickets/?show=done"),
        Stop("mallory", "tickets", "/tickets/", title="none"),
        Stop("alice", "new-ticket", "/tickets/new/"),
        Stop("alice", "new-ticket", "/tickets/new/", post("/tickets/new/", title="", scope="//"), title="with faults"),
        Stop("alice", "edit-ticket", f"/tickets/{draft}/edit/"),
        *(Stop("alice", "ticket", f"/tickets/{ticket.pk}/", title=name) for name, ticket in world.tickets.items()),
        *(Stop("olga", "ticket", f"/tickets/{ticket.pk}/", title=name) for name, ticket in world.tickets.items()),
        Stop("olga", "ticket-verb", f"/tickets/{draft}/", post(f"/tickets/{draft}/cancel/", reason=""),
             title="without a reason"),
        Stop("alice", "ticket-verb", f"/tickets/{draft}/", post(f"/tickets/{draft}/start/"), title="refused: a draft"),
    ]  # fmt: skip


def proposal_pages(world: SimpleNamespace) -> list[Stop]:
    made = [f"/proposals/{proposal.pk}/" for proposal in Proposal.objects.order_by("pk")]
    return [
        *(Stop(who, "proposals", "/proposals/") for who in ("alice", "olga", "mallory")),
        Stop("bob", "proposals", "/proposals/?show=decided"),
        *(Stop("olga", "proposal", path) for path in made),
        Stop("bob", "proposal", f"/proposals/{world.newest.pk}/"),
    ]


def accounts(world: SimpleNamespace) -> list[Stop]:
    cast = world.cast
    return [
        Stop("alice", "profile", "/profile/"),
        Stop("alice", "add-token", "/profile/", post("/profile/tokens/", token_name="n", scope="read", days="30"),
             title="with a new token"),
        Stop("alice", "password", "/profile/", post("/profile/password/", current="wrong"), title="a wrong password"),
        Stop("alice", "journal", "/journal/"),
        Stop("mallory", "journal", "/journal/", title="empty"),
        Stop("admin", "people", "/people/"),
        Stop("admin", "new-person", "/people/new/"),
        Stop("admin", "new-person", "/people/new/?kind=agent"),
        *(Stop("admin", "person", f"/people/{user.pk}/") for user in (cast.alice, cast.planner, cast.admin)),
        Stop("admin", "deactivate-person", f"/people/{cast.bob.pk}/deactivate/"),
    ]  # fmt: skip


def the_admin(world: SimpleNamespace) -> list[Stop]:
    lists = ("checkouts/artifact", "checkouts/checkout", "checkouts/proposal", "leasehold/ticket", "leasehold/entry",
             "leasehold/session", "leasehold/user", "leasehold/project")  # fmt: skip
    return [
        Stop("admin", "admin:index", "/admin/"),
        *(Stop("admin", "admin", f"/admin/{name}/") for name in lists),
        Stop("admin", "admin", f"/admin/leasehold/ticket/{world.tickets[Ticket.Status.REVIEW].pk}/change/"),
        Stop("admin", "admin", f"/admin/checkouts/checkout/act/break/?row={world.bobs.pk}"),
        Stop("admin", "admin", "/admin/password_change/"),
    ]
