"""Path converters of the API. A value that does not fit gives 404 before any statement runs."""

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
    """`<project:…>`: a project's slug."""

    regex = "[a-z0-9-]{1,50}"

    def to_python(self, text: str) -> str:
        return text

    to_url = to_python


class AccountName(ProjectSlug):
    """`<account:…>`: an account's username."""

    regex = "[A-Za-z0-9_.@+-]{1,150}"


def register() -> None:
    """Register `<id:…>`, `<project:…>` and `<account:…>` with Django."""
    register_converter(RowId, "id")
    register_converter(ProjectSlug, "project")
    register_converter(AccountName, "account")
