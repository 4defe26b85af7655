"""Matching of uploaded files with a person's open check-outs, by path or, if that is unique, by name."""

from collections.abc import Iterable

from checkouts.models import Checkout
from leasehold import names


class Matcher:
    """Finds the check-out that an uploaded file belongs to. Pass one person's open check-outs, the newest first.

    `folder`: the folder that was open in the browser. No database queries.
    """

    def __init__(self, checkouts: Iterable[Checkout], *, folder: str = "") -> None:
        self.folder = f"{names.comparing_form(folder)}/" if folder else ""
        self.by_path: dict[str, dict[int, Checkout]] = {}
        self.by_name: dict[str, dict[int, Checkout]] = {}
        for checkout in checkouts:
            key = checkout.artifact.path_key
            self.by_path.setdefault(key, {}).setdefault(checkout.artifact_id, checkout)
            self.by_name.setdefault(key.rpartition("/")[2], {}).setdefault(checkout.artifact_id, checkout)

    def find(self, path: str) -> list[Checkout]:
        """Return the matching check-outs: one if the match is clear, several if it is ambiguous, none if nothing fits.

        `path` may begin above the project (`Downloads/art/heroes/hero.psd`) or in the folder that was open
        (`hero.psd`). The longest end of `path` that is a file's path wins; then the name alone is compared.
        """
        key = names.comparing_form(path.replace("\\", "/").strip("/"))
        segments = key.split("/")
        ends = ["/".join(segments[start:]) for start in range(len(segments))]
        for end in [self.folder + key, *ends] if self.folder else ends:
            if found := self.by_path.get(end):
                return list(found.values())
        return list(self.by_name.get(segments[-1], {}).values())
