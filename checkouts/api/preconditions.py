"""What a request says before, and beside, the bytes that it brings."""

import re

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from checkouts.bytes.intake import Upload
from leasehold.exceptions import Invalid

TAG = r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"'
TAGS = re.compile(rf"\s*{TAG}\s*(,\s*{TAG}\s*)*")

#: for the schema
IF_MATCH = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="The digest the head must have.")


def if_match_of(request: Request) -> frozenset[str] | None:
    """`If-Match` as the digests of which the head must have one; none where there is no condition (`*` is none either:
    what is there has a head). A weak tag never matches (RFC 9110). Raises `Invalid` for what is no list of tags.
    """
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    if not TAGS.fullmatch(header):
        raise Invalid.of("If-Match", 'Expected a quoted digest: "sha256:…".')
    return frozenset(digest for weak, digest in re.findall(TAG, header) if not weak)


def fields_of(request: Request, upload: Upload, *known: str) -> dict[str, str]:
    """An upload's fields, from the form or, beside a raw body, from the query. One that is not understood is refused,
    never passed over: who sent it meant something by it. So is a query beside a form."""
    unknown = dict.fromkeys(sorted(set(upload.fields) - set(known)), "There is no such field.")
    if request._request.content_type == "multipart/form-data":
        unknown |= dict.fromkeys(request.query_params, "With a form, send this in the form.")
    if unknown:
        raise Invalid(errors=[{"field": name, "detail": detail} for name, detail in unknown.items()])
    return upload.fields


def truth_of(fields: dict[str, str], name: str) -> bool:
    """A form's `true` or `false`; false when it is missing."""
    value = fields.get(name, "false")
    if value not in ("true", "false", "1", "0"):
        raise Invalid.of(name, "Expected true or false.")
    return value in ("true", "1")
