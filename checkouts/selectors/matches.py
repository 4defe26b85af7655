"""Which open check-out does a file that comes back belong to? By its path, or by its name where that says enough."""

from collections.abc import Iterable

from checkouts.models import Checkout
from leasehold import names


class Matcher:
    """Over one person's open check-outs, the newest first. Pure: it asks the database nothing."""

    def __init__(self, records: Iterable[Checkout], *, folder: str = "") -> None:
        self.folder = f"{names.comparing(folder)}/" if folder else ""
        self.by_path: dict[str, dict[int, Checkout]] = {}
        self.by_name: dict[str, dict[int, Checkout]] = {}
        for record in records:
            key = record.artifact.path_key
            self.by_path.setdefault(key, {}).setdefault(record.artifact_id, record)
            self.by_name.setdefault(key.rpartition("/")[2], {}).setdefault(record.artifact_id, record)

    def find(self, path: str) -> list[Checkout]:
        """The one that is meant; none if nothing fits, several if more than one file could be meant.

        `path` may begin above the project (`Downloads/art/heroes/hero.psd`) or in the folder that was open
        (`hero.psd`): the longest end of it that is a file's path counts, and then its name alone.
        """
        key = names.comparing(path.replace("\\", "/").strip("/"))
        segments = key.split("/")
        ends = ["/".join(segments[start:]) for start in range(len(segments))]
        for end in [self.folder + key, *ends] if self.folder else ends:
            if found := self.by_path.get(end):
                return list(found.values())
        return list(self.by_name.get(segments[-1], {}).values())
