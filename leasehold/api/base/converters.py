"""The values in the API's paths. What cannot be one of them is a path that does not exist: 404, before any query."""

from django.urls import register_converter

from leasehold.database.ids import BIGGEST_ID


class RowId:
    """`<id:…>`: a positive 64-bit number."""

    regex = "[0-9]{1,19}"

    def to_python(self, text: str) -> int:
        if (number := int(text)) > BIGGEST_ID:
            raise ValueError(text)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class ProjectSlug:
    """`<project:…>`."""

    regex = "[a-z0-9-]{1,50}"

    def to_python(self, text: str) -> str:
        return text

    to_url = to_python


class AccountName(ProjectSlug):
    """`<account:…>`."""

    regex = "[A-Za-z0-9_.@+-]{1,150}"


def register() -> None:
    """Make `<id:…>`, `<project:…>` and `<account:…>` known to Django's URL patterns."""
    register_converter(RowId, "id")
    register_converter(ProjectSlug, "project")
    register_converter(AccountName, "account")
