"""What scope keys mean to their reader: files of a project, or a name that tickets share by agreement.

Only a key that begins with a project's slug reserves files. Who leaves it out reserves a mere name, and nobody is
stopped: where the chosen project has files of that name, `instead` says the key that was probably meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from leasehold import names
from leasehold.actors import Actor
from leasehold.models import Project, ScopeKey
from leasehold.ports import FILES_COUNTED, files_at
from leasehold.selectors import projects_for


@dataclass(frozen=True, slots=True)
class Meaning:
    """`project`: the name of the one that the key lies in, as far as the reader sees it. `instead` is mostly empty."""

    key: str
    place: str
    project: str
    is_foreign: bool
    files: int
    instead: str
    instead_files: int

    @property
    def words(self) -> str:
        """What the key reserves: `3 files in Demo`."""
        if self.is_foreign:
            return "files of a project that you are not in"
        if not self.project:
            return "a name that tickets share; no files"
        return f"{counted(self.files)} in {self.project}" if self.files else f"no files in {self.project} yet"

    @property
    def instead_words(self) -> str:
        return counted(self.instead_files)


def counted(files: int) -> str:
    if files >= FILES_COUNTED:
        return f"{FILES_COUNTED - 1}+ files"
    return "1 file" if files == 1 else f"{files} files"


def meanings(actor: Actor, home: Project, keys: Mapping[str, str]) -> list[Meaning]:
    """`keys`: place → spelling, of a ticket in the project `home`. Two statements, and one for each 50 keys."""
    slugs = {place: place.partition("/")[0] for place in keys}
    known = dict(projects_for(actor).filter(slug__in=slugs.values()).values_list("slug", "name"))
    taken = set(Project.objects.filter(slug__in=slugs.values()).values_list("slug", flat=True))
    meant = {place: f"{home.slug}/{place}" for place, slug in slugs.items() if slug != home.slug}
    files = files_at(actor, [*(place for place, slug in slugs.items() if slug in known), *meant.values()])

    def meaning(place: str, key: str) -> Meaning:
        here = files.get(place, 0)
        there = files.get(meant.get(place, ""), 0) if not here else 0
        return Meaning(
            key,
            place,
            project=known.get(slugs[place], ""),
            is_foreign=slugs[place] in taken and slugs[place] not in known,
            files=here,
            instead=f"{home.slug}/{key}" if there else "",
            instead_files=there,
        )

    return [meaning(place, key) for place, key in keys.items()]


def of_scope(actor: Actor, home: Project, scope: list[ScopeKey]) -> dict[str, Meaning]:
    """Place → what it means."""
    return {one.place: one for one in meanings(actor, home, {key.place: key.key for key in scope})}


def doubtful(actor: Actor, home: Project, lines: list[str]) -> list[Meaning]:
    """Of keys as somebody typed them: those that reserve no file, where another key would."""
    spelled = [names.normalised(line, "scope") for line in lines]
    keys = {names.comparing(key): key for key in reversed(spelled)}
    return [one for one in reversed(meanings(actor, home, keys)) if one.instead]
