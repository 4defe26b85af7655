"""Restore an old version, and set the write policy of a file, each after a confirmation page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from checkouts.actions.policies import set_write_policy
from checkouts.actions.restore import restore as restore_action
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Version
from checkouts.selectors import version_of
from checkouts.web.files.moves import confirmation_context, file_to_decide_on, file_to_edit
from checkouts.web.links import artifact_url
from checkouts.web.views import signed_in
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import NotFound
from leasehold.models import WritePolicy
from leasehold.templatetags.parts import clock_words, filesize
from leasehold.web.confirmation import Field, confirm
from leasehold.web.forms import add_message

DIRECT, PROPOSE = WritePolicy.DIRECT, WritePolicy.PROPOSE
POLICIES = {
    DIRECT: ("Commit directly", "what an agent checks in is a version at once"),
    PROPOSE: ("Propose", "what an agent checks in waits for an operator"),
}


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest, artifact_id: int, number: int) -> HttpResponse:
    actor, file = file_to_edit(request, artifact_id)
    if number > BIGGEST_ID:
        raise NotFound
    if file.live_lease is not None:
        raise ArtifactBusy(lease=file.live_lease)  # before the confirmation page; the action checks again
    old, head = version_of(file.artifact, number), file.artifact.head

    def submit() -> HttpResponse:
        result = restore_action(
            actor=actor, artifact_id=artifact_id, number=number, comment=request.POST.get("comment", "")
        )
        if isinstance(result, Version):
            message, role = f"Version {number} is back as version {result.number}.\nIt is the newest now.", "is-free"
        else:
            message = f"Version {number} is kept as proposal {result.pk}.\nIt waits for an operator."
            role = "is-proposal"
        add_message(request, message, role)
        return redirect(artifact_url(file.artifact))

    context = confirmation_context(actor, file) | {
        "heading": f"Restore version {number} of {file.artifact.name}?",
        "sub": f"By {old.author.username}, {clock_words(old.created_at, file.at)}, {filesize(old.size)}.",
        "will": [
            ("restore", f"A copy of version {number} becomes version {head.number + 1}, the newest."),
            ("same", f"Version {head.number} and all the others stay: you can go back to them in the same way."),
        ],
        "button": f"Restore as version {head.number + 1}",
        "button_icon": "restore",
        "button_class": "btn-primary",
        "back_label": f"Stay at version {head.number}",
    }
    comment = Field("comment", "What changed", "text", hint=f"Empty: “Restored version {number}”.", limit=10_000)
    return confirm(request, context, [comment], submit)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def write_policy(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """For operators. It overrides the project's setting."""
    actor, file = file_to_decide_on(request, artifact_id)
    artifact = file.artifact

    def submit() -> HttpResponse:
        changed = set_write_policy(actor=actor, artifact_id=artifact_id, policy=request.POST.get("write_policy", ""))
        _, effect = POLICIES[WritePolicy(changed.policy)]
        source = "" if changed.write_policy else ", as the project says"
        add_message(request, f"For {artifact.name}{source}, {effect}.", "is-free")
        return redirect(artifact_url(artifact))

    project_policy = POLICIES[WritePolicy(artifact.project.write_policy)][0].lower()
    options = [
        ("", "As the project says", f"now: {project_policy}"),
        *((value, label, note) for value, (label, note) in POLICIES.items()),
    ]
    context = confirmation_context(actor, file) | {
        "heading": f"What may agents do with {artifact.name}?",
        "sub": "Agents are programs with an account of their own. People always commit directly.",
        "will": [
            ("agent", "It counts from an agent’s next check-in or edit, whatever it has open now."),
            ("person", "Nothing changes for people, and nothing that is committed is undone."),
        ],
        "button": "Set it",
        "button_icon": "agent",
        "button_class": "btn-primary",
        "back_label": "Leave it as it is",
    }
    field = Field("write_policy", "An agent’s change", "choice", value=artifact.write_policy, options=options)
    return confirm(request, context, [field], submit)
