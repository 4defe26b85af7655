"""`Idempotency-Key` on JSON POSTs: the same key and request give the first response again, for a day.

Two requests are the same if method, address and the bytes of the body are. Refusals are kept too. A response of 500 or
more is not: the request can be sent again with its key. `actions.idempotency` stores keys and responses.
"""

import re
from hashlib import sha256

from django.http import HttpResponse, HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold.actions import idempotency
from leasehold.actions.idempotency import Claim
from leasehold.exceptions import Invalid
from leasehold.models import Answer, User

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r"[\x20-\x7e]{1,255}")
KEPT_HEADERS = ("ETag", "Location", "Retry-After")


class AnsweredBefore(Exception):
    """Raised to skip the handler. `response` is the first response to the same request."""

    def __init__(self, answer: Answer) -> None:
        self.response = HttpResponse(answer.body, status=answer.status, content_type=answer.headers["Content-Type"])
        for name, value in answer.headers.items():
            self.response[name] = value
        self.response[REPLAYED] = "true"


def claim_of(request: Request, user: User) -> Claim | None:
    """Claim the key of a POST with a JSON body or none; return None without a key.

    Raises `AnsweredBefore`, `Invalid` for a malformed key, and what `actions.idempotency.claim` raises.
    """
    key = request.headers.get(HEADER)
    if key is None or request.method != "POST":
        return None
    if not KEY.fullmatch(key):
        raise Invalid.of(HEADER, "Expected 1 to 255 characters of ASCII.")
    http = request._request
    if http.content_type not in ("application/json", ""):
        return None  # the parser answers 415
    content = f"{request.method} {request.get_full_path()}\n".encode() + http.body
    claim = idempotency.claim(user=user, key=key, fingerprint=sha256(content).hexdigest())
    if claim.answer:
        raise AnsweredBefore(claim.answer)
    return claim


def settle(claim: Claim, response: HttpResponseBase) -> None:
    """Store the response under the key, or release the key if the response is not to be kept."""
    if not isinstance(response, Response) or response.status_code >= 500:
        idempotency.release_claim(claim)
        return
    headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    headers["Content-Type"] = response.content_type or "application/json"
    body = b"" if response.data is None else JSONRenderer().render(response.data)
    idempotency.store(claim, status=response.status_code, headers=headers, body=body.decode())
