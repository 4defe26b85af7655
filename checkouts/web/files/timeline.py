"""The sentences for journal entries about files, and the subjects of these entries."""

from collections.abc import Sequence

from django.urls import reverse

from checkouts.selectors import artifacts_for
from checkouts.selectors.search import artifact_ids_matching
from leasehold.actors import Actor
from leasehold.models import Project
from leasehold.web.journal.sentences import Sentence, Subject, name_of

#: kind → icon, the text after the actor's name, the key in the entry's data that has the reason
SENTENCES: dict[str, Sentence] = {
    "artifact_added": ("add", lambda _: "added the file", "comment"),
    "artifact_archived": ("delete", lambda _: "archived it", ""),
    "artifact_renamed": ("same", lambda data: f"renamed it from {data.get('before')}", ""),
    "artifact_unarchived": ("restore", lambda _: "brought it back from the archive", ""),
    "checkout_broken": ("break", lambda data: f"broke {name_of(data.get('holder'))}’s check-out", "reason"),
    "checkout_discarded": ("discard", lambda _: "discarded the check-out", ""),
    "checkout_extended": ("extend", lambda _: "extended the check-out", ""),
    "checkout_handed_over": ("hand-over", lambda data: f"handed it over to {name_of(data.get('to'))}", "reason"),
    "checkout_opened": ("check-out", lambda data: f"checked out version {data.get('version')}", "purpose"),
    "checkout_taken_over": ("take-over", lambda data: f"took over {name_of(data.get('holder'))}’s check-out", "reason"),
    "edit_broken": ("break", lambda data: f"broke {name_of(data.get('holder'))}’s edit", "reason"),
    "edit_discarded": ("discard", lambda _: "ended an edit without a change", ""),
    "edit_opened": ("agent", lambda data: f"opened version {data.get('version')} to edit it", "purpose"),
    "proposal_accepted": ("approve", lambda data: f"accepted proposal {data.get('proposal')}", "reason"),
    "proposal_kept": ("proposal", lambda data: f"sent what is kept as proposal {data.get('proposal')}", "comment"),
    "proposal_rebuilt": (
        "rebuild",
        lambda data: f"rebuilt proposal {data.get('supersedes')} as proposal {data.get('proposal')}",
        "",
    ),
    "proposal_rejected": ("cancelled", lambda data: f"rejected proposal {data.get('proposal')}", "reason"),
    "proposal_withdrawn": ("send-back", lambda data: f"withdrew proposal {data.get('proposal')}", ""),
    "version_committed": ("check-in", lambda data: f"checked in version {data.get('version')}", "comment"),
    "version_restored": ("restore", lambda data: f"restored version {data.get('restored')}", "comment"),
    "version_unchanged": ("same", lambda data: f"checked in version {data.get('version')} as it was", ""),
    "write_policy_changed": (
        "agent",
        lambda data: f"set what agents may do: {data.get('policy') or 'as the project says'}",
        "",
    ),
}
KIND_LABELS = {
    "artifact_added": "Added a file",
    "artifact_archived": "Archived a file",
    "artifact_renamed": "Renamed a file",
    "artifact_unarchived": "Brought a file back from the archive",
    "checkout_broken": "Broke a check-out",
    "checkout_discarded": "Discarded a check-out",
    "checkout_extended": "Extended a check-out",
    "checkout_handed_over": "Handed a check-out over",
    "checkout_opened": "Checked out",
    "checkout_taken_over": "Took over a check-out",
    "edit_broken": "Broke an edit",
    "edit_discarded": "Ended an edit without a change",
    "edit_opened": "Opened a version to edit it",
    "proposal_accepted": "Accepted a proposal",
    "proposal_kept": "Sent a proposal",
    "proposal_rebuilt": "Rebuilt a proposal",
    "proposal_rejected": "Rejected a proposal",
    "proposal_withdrawn": "Withdrew a proposal",
    "version_committed": "Checked in",
    "version_restored": "Restored a version",
    "version_unchanged": "Checked in as it was",
    "write_policy_changed": "Set what agents may do",
}
ROLES = {"checkout_broken": "is-danger", "checkout_taken_over": "is-danger", "proposal_kept": "is-proposal"}


def search_artifact_subjects(actor: Actor, projects: Sequence[Project], words: str) -> list[str]:
    return [f"artifact:{pk}" for pk in artifact_ids_matching(actor, projects, words)]


def artifact_subjects(actor: Actor, ids: list[int]) -> dict[int, Subject]:
    rows = artifacts_for(actor).filter(pk__in=ids).values_list("pk", "path", "project__slug")
    return {pk: Subject(f"{slug}/{path}", reverse("artifact", args=[pk])) for pk, path, slug in rows}
