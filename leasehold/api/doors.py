"""What all views of the API share."""

from typing import IO, Any, TypeVar, cast

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from leasehold.actors import Actor
from leasehold.api.authentication import actor_of
from leasehold.api.parsers import StrictJSONParser
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope

S = TypeVar("S", bound="Serializer[Any]")


class Door(APIView):
    """A view that parses, acts and renders.

    class CheckoutList(Door):
        def post(self, request: Request, artifact_id: int) -> Response:
            asked = self.asked(CheckOutBody)
            checkout = check_out(actor=self.actor, artifact_id=artifact_id, **asked)
            return Response(representations.checkout(checkout), status=201)
    """

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.actor: Actor = actor_of(request)
        if self.actor.scope == Scope.READ and request.method not in SAFE_METHODS:
            raise Forbidden("This token may only read.")

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-cache")  # an answer is one caller's, and may be old
        return response

    def body(self) -> dict[str, Any]:
        """The JSON body, strictly read; an empty one is an empty dict."""
        if "chunked" in self.request.headers.get("Transfer-Encoding", "").lower():
            # REST framework takes a body without a length for none at all.
            stream = cast(IO[bytes], self.request._request)
            return StrictJSONParser().parse(stream, self.request.content_type, self.request.parser_context)
        return cast(dict[str, Any], self.request.data)

    def asked(self, shape: type[S]) -> dict[str, Any]:
        """The body, judged by a serializer that knows shapes and no rules. A name that it does not know is refused."""
        body = self.body()
        judged = shape(data=body)
        judged.is_valid(raise_exception=True)
        if unknown := sorted(set(body) - set(judged.fields)):
            raise Invalid(errors=[{"field": name, "detail": "There is no such field."} for name in unknown])
        return dict(judged.validated_data)
