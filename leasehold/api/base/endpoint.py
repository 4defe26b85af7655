"""The base classes of the API's views."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from leasehold.actions import idempotency
from leasehold.actions.idempotency import Claim
from leasehold.actors import Actor
from leasehold.api.base.authentication import actor_of
from leasehold.api.base.idempotency import AnsweredBefore, claim_of, settle
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope

S = TypeVar("S", bound="Serializer[Any]")


class Endpoint(APIView):
    """A view of the API: it parses the request, calls an action and renders the result.

    class CheckoutList(Endpoint):
        def post(self, request: Request, artifact_id: int) -> Response:
            values = self.validated(CheckOutBody)
            checkout = check_out(actor=self.actor, artifact_id=artifact_id, **values)
            return Response(representations.checkout(checkout), status=201)
    """

    #: Is the first response to a POST with an `Idempotency-Key` stored? Not for uploads, nor where it holds a secret.
    keeps_answers = True
    claim: Claim | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.actor: Actor = actor_of(request)
        if self.actor.scope == Scope.READ and request.method not in SAFE_METHODS:
            raise Forbidden("This token may only read.")
        if self.keeps_answers:
            self.claim = claim_of(request, self.actor.user)

    def handle_exception(self, exc: Exception) -> Any:
        if isinstance(exc, AnsweredBefore):
            return exc.response
        try:
            return super().handle_exception(exc)
        except Exception:
            if self.claim:
                idempotency.release_claim(self.claim)
            raise

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if self.claim:
            settle(self.claim, response)
        response = super().finalize_response(request, response, *args, **kwargs)
        # A response is for one caller, and must be fresh.
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    def body(self) -> dict[str, Any]:
        """Return the JSON body, read by the strict parser; an empty body is an empty dict."""
        is_chunked = "chunked" in self.request.headers.get("Transfer-Encoding", "").lower()
        if is_chunked and not self.request.META.get("CONTENT_LENGTH"):
            # Chunked JSON has a length by now (`leasehold.http.chunked`). REST framework would read others as no body.
            raise UnsupportedMediaType(self.request.content_type)
        return cast(dict[str, Any], self.request.data)

    def validated(self, shape: type[S]) -> dict[str, Any]:
        """Return the body as `shape` validates it: shapes, no rules. Raises `Invalid` for a name it does not know."""
        body = self.body()
        serializer = shape(data=body)
        serializer.is_valid(raise_exception=True)
        if unknown := sorted(set(body) - set(serializer.fields)):
            raise Invalid(errors=[{"field": name, "detail": "There is no such field."} for name in unknown])
        return dict(serializer.validated_data)


class Transition(Endpoint):
    """A POST that calls an action on one row and returns the row. Its docstring describes it in the OpenAPI document.

    class TicketCancel(TicketTransition):
        \"""For good. Operators; the author before it was started.\"""

        serializer_class = shapes.ReasonedBody
        verb = staticmethod(tickets.cancel)

    verb: the action. id_name: its argument for the row's id. serializer_class: the body, also in the OpenAPI document.
    """

    verb: Callable[..., object]
    id_name: ClassVar[str]
    serializer_class: type[Serializer[Any]]

    def post(self, request: Request, pk: int) -> Response:
        self.verb(actor=self.actor, **{self.id_name: pk}, **self.validated(self.serializer_class))
        return Response(self.row_as_json(pk))

    def row_as_json(self, pk: int) -> dict[str, Any]:
        """Return the row after the action, as the actor sees it."""
        raise NotImplementedError
