from django.urls import path

from checkouts.selectors import own_open_checkouts, proposals_to_decide
from checkouts.web import (
    artifacts,
    board,
    breaking,
    check_ins,
    checkouts,
    desk,
    handing,
    many,
    moving,
    operators,
    previews,
    projects,
    proposals,
    refusals,
    timeline,
    versions,
)
from leasehold.web.context import WAITING
from leasehold.web.views import figures

refusals.register()
timeline.register()
figures.append(projects.figures)
WAITING.update({"desk": own_open_checkouts, "proposals": proposals_to_decide})

urlpatterns = [
    path("board/", board.board, name="board"),
    path("desk/", desk.desk, name="desk"),
    path("desk/extend/", desk.extend_many, name="extend-many"),
    path("desk/discard/", desk.discard_many, name="discard-mine"),
    path("operators/", operators.queue, name="operators"),
    path("operators/tickets/", operators.decide_tickets, name="decide-tickets"),
    path("operators/checkouts/", operators.break_many, name="break-many"),
    path("operators/proposals/", operators.decide_proposals, name="decide-proposals"),
    path("check-ins/", check_ins.check_in_many, name="check-in-many"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/files/", projects.add, name="add"),
    path("projects/<slug:slug>/checkouts/", many.check_out, name="check-out-many"),
    path("projects/<slug:slug>/folder/", many.check_out_folder, name="check-out-folder"),
    path("projects/<slug:slug>/discards/", many.discard_many, name="discard-many"),
    path("projects/<slug:slug>/zip/", many.as_zip, name="zip"),
    path("artifacts/<int:artifact_id>/", artifacts.artifact, name="artifact"),
    path("artifacts/<int:artifact_id>/content/", artifacts.content, name="artifact-content"),
    path(
        "artifacts/<int:artifact_id>/versions/<int:number>/content/", artifacts.version_content, name="version-content"
    ),
    path("artifacts/<int:artifact_id>/versions/<int:number>/restore/", versions.restore, name="restore"),
    path("artifacts/<int:artifact_id>/rename/", moving.rename, name="rename"),
    path("artifacts/<int:artifact_id>/archive/", moving.archive, name="archive"),
    path("artifacts/<int:artifact_id>/unarchive/", moving.unarchive, name="unarchive"),
    path("artifacts/<int:artifact_id>/write-policy/", versions.write_policy, name="write-policy"),
    path("artifacts/<int:artifact_id>/take-over/", handing.take_over, name="take-over"),
    path("artifacts/<int:artifact_id>/checkouts/", checkouts.check_out, name="check-out"),
    path("checkouts/<int:checkout_id>/", checkouts.checkout, name="checkout"),
    path("checkouts/<int:checkout_id>/check-in/", checkouts.check_in, name="check-in"),
    path("checkouts/<int:checkout_id>/extend/", checkouts.extend, name="extend"),
    path("checkouts/<int:checkout_id>/discard/", checkouts.discard, name="discard"),
    path("checkouts/<int:checkout_id>/hand-over/", handing.hand_over, name="hand-over"),
    path("checkouts/<int:checkout_id>/break/", breaking.break_, name="break"),
    path("proposals/<int:proposal_id>/content/", artifacts.proposal_content, name="proposal-content"),
    path("artifacts/<int:artifact_id>/versions/<int:number>/preview/", previews.of_version, name="version-preview"),
    path("artifacts/<int:artifact_id>/versions/<int:number>/thumbnail/", previews.thumbnail, name="thumbnail"),
    path("proposals/", proposals.proposals, name="proposals"),
    path("proposals/<int:proposal_id>/", proposals.proposal, name="proposal"),
    path("proposals/<int:proposal_id>/preview/", previews.of_proposal, name="proposal-preview"),
    path("proposals/<int:proposal_id>/accept/", proposals.accept, name="accept-proposal"),
    path("proposals/<int:proposal_id>/reject/", proposals.reject, name="reject-proposal"),
    path("proposals/<int:proposal_id>/rebuild/", proposals.rebuild, name="rebuild-proposal"),
    path("proposals/<int:proposal_id>/withdraw/", proposals.withdraw, name="withdraw-proposal"),
]
