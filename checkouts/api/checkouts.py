"""Check-outs: taken, one or many, listed, extended, discarded, broken, taken and handed over."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts import selectors
from checkouts.actions.breaks import break_checkout, take_over
from checkouts.actions.check_out import check_out, check_out_many
from checkouts.actions.holds import discard, extend, hand_over
from checkouts.api.representations import attempts as show
from checkouts.api.serializers import attempts as shapes
from checkouts.api.serializers.files import NothingBody
from leasehold.api.base import fields, filters
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.problems import facts_of
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.http.json_values import to_json

STATES = ("open", "closed", "held", "lapsed", "broken")


class ArtifactCheckouts(Endpoint):
    @extend_schema(request=shapes.CheckOutBody, responses={201: shapes.CheckoutShape})
    def post(self, request: Request, pk: int) -> Response:
        """Check a file out. 409 `artifact_busy` says who has it, what for and until when; oneself included."""
        granted = check_out(actor=self.actor, artifact_id=pk, **self.validated(shapes.CheckOutBody))
        return Response(show.checkout(granted.checkout, granted.lease), status=201)


class ProjectCheckouts(Endpoint):
    @extend_schema(request=shapes.CheckOutManyBody, responses={201: shapes.GrantedManyShape})
    def post(self, request: Request, slug: str) -> Response:
        """Check out several files, or all that lie in a folder: all or nothing, and 409 `artifact_busy` names every
        lease in the way. With `atomic: false` what can be had is taken, and `refused` says why the rest was not."""
        values = self.validated(shapes.CheckOutManyBody)
        many = check_out_many(actor=self.actor, project=slug, artifact_ids=values.pop("artifacts", None), **values)
        return Response(
            {
                "checkouts": [show.checkout(granted.checkout, granted.lease) for granted in many.granted],
                "refused": [
                    {
                        "artifact": {"id": refused.artifact.pk, "path": refused.artifact.path},
                        "code": refused.refusal.code,
                        "detail": refused.refusal.detail,
                        **to_json(facts_of(refused.refusal)),
                    }
                    for refused in many.refused
                ],
            },
            status=201,
        )


class ArtifactTakeOver(Endpoint):
    @extend_schema(request=shapes.TakeOverBody, responses={201: shapes.CheckoutShape})
    def post(self, request: Request, pk: int) -> Response:
        """An operator ends what holds a file and has it checked out, in one step, with a reason. 409 `artifact_busy` if
        it is oneself who has it. What the old holder checks in later is still kept."""
        granted = take_over(actor=self.actor, artifact_id=pk, **self.validated(shapes.TakeOverBody))
        return Response(show.checkout(granted.checkout, granted.lease), status=201)


class Checkouts(Endpoint):
    @extend_schema(
        operation_id="checkouts_list",
        parameters=[
            query("state", "`held`, `lapsed` and `broken` are the three ways of being open.", enum=STATES),
            query("mine", "`true`: only my own.", enum=filters.TRUE_OR_FALSE),
            filters.PROJECT,
            *PAGING,
        ],
        responses=page_of(shapes.CheckoutShape),
    )
    def get(self, request: Request) -> Response:
        """Check-outs in my projects, the newest first, and my own for good."""
        rows = selectors.checkouts_for(self.actor)
        if state := fields.choice_of(request, "state", STATES):
            rows = selectors.in_state(rows, state)
        rows = filters.if_mine(request, rows, actor=self.actor.user)
        rows = selectors.with_own_leases(filters.by_project(request, rows, "artifact__project"))
        return Response(cursor_page(request, rows, order=("-id",), render=show.listed_checkout))


class CheckoutDetail(Endpoint):
    @extend_schema(responses=shapes.CheckoutShape)
    def get(self, request: Request, pk: int) -> Response:
        """One check-out: its base, its lease while that is live, and how it ended."""
        return Response(show.listed_checkout(selectors.checkout_with_lease(self.actor, pk)))


class CheckoutExtend(Endpoint):
    @extend_schema(request=shapes.ExtendBody, responses=shapes.CheckoutShape)
    def post(self, request: Request, pk: int) -> Response:
        """Extend one's own check-out, also after it has lapsed, if nobody took or changed the file since."""
        granted = extend(actor=self.actor, checkout_id=pk, **self.validated(shapes.ExtendBody))
        return Response(show.checkout(granted.checkout, granted.lease))


class CheckoutDiscard(Endpoint):
    @extend_schema(request=NothingBody, responses=shapes.CheckoutShape)
    def post(self, request: Request, pk: int) -> Response:
        """End one's own check-out and commit nothing; again, it changes nothing."""
        self.validated(NothingBody)
        return Response(show.checkout(discard(actor=self.actor, checkout_id=pk), None))


class CheckoutBreak(Endpoint):
    @extend_schema(request=shapes.BreakBody, responses=shapes.CheckoutShape)
    def post(self, request: Request, pk: int) -> Response:
        """An operator ends somebody's check-out, with a reason. What its holder checks in later is still kept."""
        broken = break_checkout(actor=self.actor, checkout_id=pk, **self.validated(shapes.BreakBody))
        return Response(show.checkout(broken.checkout, None))


class CheckoutHandOver(Endpoint):
    @extend_schema(request=shapes.HandOverBody, responses={201: shapes.CheckoutShape})
    def post(self, request: Request, pk: int) -> Response:
        """Give a check-out that is still held to somebody else, in one step: its holder, or an operator with a reason.
        The answer is the receiver's check-out. What the old holder checks in later is still kept."""
        granted = hand_over(actor=self.actor, checkout_id=pk, **self.validated(shapes.HandOverBody))
        return Response(show.checkout(granted.checkout, granted.lease), status=201)
