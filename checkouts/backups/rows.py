"""Compressed files of JSON lines, one for each table. The first line of a table's file names its columns."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from checkouts.backups.manifest import BackupFault, Lines
from checkouts.backups.tables import Table, columns_of, decoder_of, fields_of, rows_of

BATCH = 1000  # rows inserted by one statement at most
BROKEN = (OSError, EOFError, ValueError, zlib.error)  #: what a damaged file raises when it is read


class Counted:
    """Counts and hashes lines as they pass."""

    def __init__(self) -> None:
        self.count, self.sha = 0, hashlib.sha256()

    def encode(self, value: Any) -> bytes:
        line = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
        self.add(line)
        return line

    def add(self, line: bytes) -> None:
        self.count += 1
        self.sha.update(line)

    @property
    def lines(self) -> Lines:
        return Lines(self.count, f"sha256:{self.sha.hexdigest()}")


def write_lines(path: Path, values: Iterable[Any]) -> Lines:
    """Write one JSON line for each value, compressed and synced."""
    counted = Counted()
    with path.open("wb") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=3, mtime=0) as packed:
            for value in values:
                packed.write(counted.encode(value))
        file.flush()
        os.fsync(file.fileno())
    return counted.lines


def read_lines(path: Path, expected: Lines) -> Iterator[Any]:
    """Yield the values of a file. Raises `BackupFault` at its end if it is not as the manifest says."""
    counted = Counted()
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                counted.add(line)
                yield json.loads(line)
    except BROKEN as error:
        raise BackupFault(f"{path} cannot be read: {error}.") from error
    if counted.lines != expected:
        raise BackupFault(f"{path} is damaged: its digest or its number of lines is not that of the manifest.")


def file_of(folder: Path, table: str) -> Path:
    return folder / "rows" / f"{table}.jsonl.gz"


def table_lines(table: Table, using: str) -> Iterator[Any]:
    yield columns_of(table)
    yield from rows_of(table, using)


def digest_rows(table: Table, using: str) -> Lines:
    """Return count and digest of a table as `write_lines` would return them."""
    counted = Counted()
    for value in table_lines(table, using):
        counted.encode(value)
    return counted.lines


def load_rows(table: Table, path: Path, expected: Lines) -> int:
    """Insert the rows of a file and return their number. Raises `BackupFault`."""
    lines = read_lines(path, expected)
    columns = next(lines, None)
    if columns != columns_of(table):
        raise BackupFault(f"{path} has other columns than the table {table._meta.db_table} of this program.")
    decoders = [decoder_of(field) for field in fields_of(table)]
    loaded = 0
    while batch := list(islice(lines, BATCH)):
        rows = [
            table(**{name: decode(value) for name, decode, value in zip(columns, decoders, row, strict=True)})
            for row in batch
        ]
        table._base_manager.bulk_create(rows)
        loaded += len(rows)
    return loaded
