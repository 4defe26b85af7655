"""The digest that a client declares for its bytes, in a header or a field, as `sha256:<hex>`."""

import base64
import binascii
import re

from django.http import HttpRequest

from leasehold.exceptions import Invalid

HEADERS = ("Content-Digest", "Digest")
IN_HEADER = re.compile(r"(?:^|,)\s*sha-256\s*=\s*:?([^:,;\s]*):?\s*(?:[,;]|$)", re.IGNORECASE)
IN_FIELD = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.IGNORECASE)


def in_header(request: HttpRequest) -> str | None:
    """Return the digest of `Content-Digest: sha-256=:<base64>:` (RFC 9530) or the older `Digest: SHA-256=<base64>`.

    Other algorithms are skipped. Raises `Invalid`.
    """
    for name in HEADERS:
        if found := IN_HEADER.search(request.headers.get(name, "")):
            try:
                value = base64.b64decode(found[1], validate=True)
            except binascii.Error:
                value = b""
            if len(value) != 32:
                raise Invalid.of(name, "Write it as sha-256=:<base64>:")
            return "sha256:" + value.hex()
    return None


def in_field(text: str) -> str | None:
    """Return the digest of the `digest` field of a form or query, or None if it is empty. Raises `Invalid`."""
    if not text.strip():
        return None
    if not (found := IN_FIELD.fullmatch(text.strip())):
        raise Invalid.of("digest", "Write it as sha256:<64 hex digits>.")
    return "sha256:" + found[1].lower()


def announced(request: HttpRequest, field: str) -> str | None:
    """Return the digest of the header or the field. Raises `Invalid` if both are given and differ."""
    header, declared = in_header(request), in_field(field)
    if header and declared and header != declared:
        raise Invalid.of("digest", "The header announces another digest.")
    return declared or header
