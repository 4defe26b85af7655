"""Reproducible zip archives: the bytes depend only on the members."""

import io
import zipfile

LONG_AGO = (2026, 1, 2, 9, 0, 0)  # a fixed day: the same members give the same bytes


def zipped(members: dict[str, bytes | str]) -> bytes:
    """Return an archive of these members, in this order."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return target.getvalue()
