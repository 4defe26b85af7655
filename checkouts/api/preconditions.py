"""The If-Match header, and the fields of an upload."""

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
    """Return the digests in `If-Match`, of which the head must have one, or None if there is no condition.

    `*` is no condition, since every artifact has a head. A weak tag never matches (RFC 9110). Raises `Invalid` for a
    malformed list.
    """
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    if not TAGS.fullmatch(header):
        raise Invalid.of("If-Match", 'Expected a quoted digest: "sha256:…".')
    return frozenset(digest for weak, digest in re.findall(TAG, header) if not weak)


def fields_of(request: Request, upload: Upload, *known: str) -> dict[str, str]:
    """Return the fields of an upload: of the form, or with a raw body, of the query.

    Raises `Invalid` for an unknown field, since the client meant something by it, and for a query beside a form.
    """
    unknown = dict.fromkeys(sorted(set(upload.fields) - set(known)), "There is no such field.")
    if request._request.content_type == "multipart/form-data":
        unknown |= dict.fromkeys(request.query_params, "With a form, send this in the form.")
    if unknown:
        raise Invalid(errors=[{"field": name, "detail": detail} for name, detail in unknown.items()])
    return upload.fields


def truth_of(fields: dict[str, str], name: str) -> bool:
    """Return a form's `true` or `false` field; False if it is missing. Raises `Invalid`."""
    value = fields.get(name, "false")
    if value not in ("true", "false", "1", "0"):
        raise Invalid.of(name, "Expected true or false.")
    return value in ("true", "1")
