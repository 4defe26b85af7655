"""`Idempotency-Key` on JSON POSTs: the same key and body give the first answer again, for a day (`actions.answers`).

What counts as the same request is its method, address and the bytes of its body. A refusal is an answer, too; one of
500 or more is none, and the request may be tried again with its key.
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
    """Not an error: the way past the handler, with the answer that was given before."""

    def __init__(self, answer: Answer) -> None:
        self.response = HttpResponse(answer.body, status=answer.status, content_type=answer.headers["Content-Type"])
        for name, value in answer.headers.items():
            self.response[name] = value
        self.response[REPLAYED] = "true"


def claim_of(request: Request, user: User) -> Claim | None:
    """Claim the key of a POST, if it has one and a JSON body, or none. Raises `AnsweredBefore`, and as `claim` does."""
    key = request.headers.get(HEADER)
    if key is None or request.method != "POST":
        return None
    if not KEY.fullmatch(key):
        raise Invalid.of(HEADER, "Expected 1 to 255 characters of ASCII.")
    http = request._request
    if http.content_type not in ("application/json", ""):
        return None  # it will be told 415
    about = f"{request.method} {request.get_full_path()}\n".encode() + http.body
    claim = idempotency.claim(user=user, key=key, fingerprint=sha256(about).hexdigest())
    if claim.answer:
        raise AnsweredBefore(claim.answer)
    return claim


def settle(claim: Claim, response: HttpResponseBase) -> None:
    """Keep the answer, or give the key back."""
    if not isinstance(response, Response) or response.status_code >= 500:
        idempotency.release_claim(claim)
        return
    headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    headers["Content-Type"] = response.content_type or "application/json"
    body = b"" if response.data is None else JSONRenderer().render(response.data)
    idempotency.store(claim, status=response.status_code, headers=headers, body=body.decode())
