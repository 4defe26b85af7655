"""What a scope key reserves: files of a project, or only a name that tickets share.

Only a key that begins with a project's slug reserves files. Without the slug, a key reserves only a name and blocks no
check-out. If the ticket's own project has files of that name, `instead` is the key that its author probably meant.
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
    """What one key reserves, as a reader may see it.

    project: the name of the project that the key lies in; empty if there is none or the reader may not see it.
    instead: a key with files, if this one has none; mostly empty.
    """

    key: str
    place: str
    project: str
    is_foreign: bool
    files: int
    instead: str
    instead_files: int

    @property
    def words(self) -> str:
        """What the key reserves, in words: `3 files in Demo`."""
        if self.is_foreign:
            return "files of a project that you are not in"
        if not self.project:
            return "a name that tickets share; no files"
        return f"{file_count_text(self.files)} in {self.project}" if self.files else f"no files in {self.project} yet"

    @property
    def instead_words(self) -> str:
        return file_count_text(self.instead_files)


def file_count_text(files: int) -> str:
    """Return a number of files as text; FILES_COUNTED itself becomes `99+ files`."""
    if files >= FILES_COUNTED:
        return f"{FILES_COUNTED - 1}+ files"
    return "1 file" if files == 1 else f"{files} files"


def meanings(actor: Actor, home: Project, keys: Mapping[str, str]) -> list[Meaning]:
    """Return what each key of a ticket in the project `home` reserves. `keys`: place → spelling.

    It takes two statements, and one more for each 50 keys.
    """
    slugs = {place: place.partition("/")[0] for place in keys}
    known = dict(projects_for(actor).filter(slug__in=slugs.values()).values_list("slug", "name"))
    taken = set(Project.objects.filter(slug__in=slugs.values()).values_list("slug", flat=True))
    in_home = {place: f"{home.slug}/{place}" for place, slug in slugs.items() if slug != home.slug}
    files = files_at(actor, [*(place for place, slug in slugs.items() if slug in known), *in_home.values()])

    def meaning(place: str, key: str) -> Meaning:
        here = files.get(place, 0)
        there = files.get(in_home.get(place, ""), 0) if not here else 0
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


def scope_meanings(actor: Actor, home: Project, scope: list[ScopeKey]) -> dict[str, Meaning]:
    """Return what the keys of a ticket's scope reserve, by place."""
    return {meaning.place: meaning for meaning in meanings(actor, home, {key.place: key.key for key in scope})}


def doubtful_keys(actor: Actor, home: Project, lines: list[str]) -> list[Meaning]:
    """Return the keys among `lines`, as somebody typed them, that reserve no file although another key would."""
    spelled = [names.normalised(line, "scope") for line in lines]
    keys = {names.comparing_form(key): key for key in reversed(spelled)}
    return [meaning for meaning in reversed(meanings(actor, home, keys)) if meaning.instead]
