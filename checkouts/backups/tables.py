"""The tables of a backup, and a row as JSON values.

Rows are the same whatever database they come from: times in UTC with microseconds, UUIDs as text. Permissions and
content types have ids that Django gives out anew in each database, so they are named instead.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.apps.registry import Apps
from django.db.models import Field, Model

#: apps whose every table is saved
WHOLE = ("leasehold", "checkouts")
#: Django's tables that are saved beside them; browser sessions are not
FURTHER = ("auth.group", "auth.group_permissions", "admin.logentry")
NAMED = {
    "auth.permission": ("content_type__app_label", "content_type__model", "codename"),
    "contenttypes.contenttype": ("app_label", "model"),
}

Table = type[Model]
Converter = Callable[[Any], Any]


def saved_tables(apps: Apps) -> list[Table]:
    """Return the tables to save, as classes of `apps`: the current ones, or those of a point in the migrations."""
    models = apps.get_models(include_auto_created=True)
    return [one for one in models if one._meta.app_label in WHOLE or one._meta.label_lower in FURTHER]


def table_named(apps: Apps, name: str) -> Table:
    """Raises LookupError."""
    app, _, model = name.partition(".")
    return apps.get_model(app, model)


def fields_of(table: Table) -> list["Field[Any, Any]"]:
    """Return the fields by name, since a model of the migrations has them in another order than the current one."""
    return sorted(table._meta.concrete_fields, key=lambda field: field.attname)


def columns_of(table: Table) -> list[str]:
    return [field.attname for field in fields_of(table)]


def rows_of(table: Table, using: str) -> Iterator[list[Any]]:
    """Yield the rows in the order of their keys as JSON values, read in chunks."""
    converters = [encoder_of(field, using) for field in fields_of(table)]
    rows = table._base_manager.using(using).order_by("pk").values_list(*columns_of(table))
    for row in rows.iterator(chunk_size=2000):
        yield [convert(value) for convert, value in zip(converters, row, strict=True)]


def encoder_of(field: "Field[Any, Any]", using: str) -> Converter:
    if named := name_parts_of(field):
        model, parts = named
        names = {pk: list(name) for pk, *name in model._base_manager.using(using).values_list("pk", *parts)}
        return lambda pk: None if pk is None else names[pk]
    return as_json


def decoder_of(field: "Field[Any, Any]") -> Converter:
    if named := name_parts_of(field):
        model, parts = named
        return lambda name: None if name is None else id_named(model, parts, name)
    while field.remote_field is not None:
        field = field.target_field  # type: ignore[attr-defined]
    to_python: Converter = field.to_python
    return to_python


def name_parts_of(field: "Field[Any, Any]") -> tuple[Table, tuple[str, ...]] | None:
    """Return the related table and the columns that name its rows, if `field` refers to rows by name."""
    related = field.related_model
    if not isinstance(related, type) or related._meta.label_lower not in NAMED:
        return None
    return related, NAMED[related._meta.label_lower]


def id_named(model: Table, parts: tuple[str, ...], name: list[str]) -> Any:
    """Return the id of the permission or content type, which is made if the database has none of that name."""
    given = dict(zip(parts, name, strict=True))
    if found := model._base_manager.filter(**given).values_list("pk", flat=True).first():
        return found
    if "codename" in given:
        types = "contenttypes.contenttype"
        kind = id_named(table_named(model._meta.apps, types), NAMED[types], name[:2])
        return model._base_manager.create(content_type_id=kind, codename=name[2], name=name[2]).pk
    return model._base_manager.create(**given).pk


def as_json(value: Any) -> Any:
    """Return a column's value as JSON has it. JSON columns stay as they are."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, UUID) else value
