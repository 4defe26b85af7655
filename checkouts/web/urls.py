from django.urls import path

from checkouts.web.board import board
from checkouts.web.check_ins import check_in, check_in_many
from checkouts.web.desk import desk
from checkouts.web.files import breaks, check_outs, content, file, hand_overs, moves, previews, versions
from checkouts.web.operators import queue
from checkouts.web.projects import project, selection
from checkouts.web.proposals import proposal, proposal_list

urlpatterns = [
    path("board/", board.board, name="board"),
    path("desk/", desk.desk, name="desk"),
    path("desk/extend/", desk.extend_many, name="extend-many"),
    path("desk/discard/", desk.discard_many, name="discard-mine"),
    path("operators/", queue.queue, name="operators"),
    path("operators/tickets/", queue.decide_tickets, name="decide-tickets"),
    path("operators/checkouts/", queue.break_many, name="break-many"),
    path("operators/proposals/", queue.decide_proposals, name="decide-proposals"),
    path("check-ins/", check_in_many.check_in_many, name="check-in-many"),
    path("projects/<slug:slug>/", project.project, name="project"),
    path("projects/<slug:slug>/files/", project.add, name="add"),
    path("projects/<slug:slug>/checkouts/", selection.check_out, name="check-out-many"),
    path("projects/<slug:slug>/folder/", selection.check_out_folder, name="check-out-folder"),
    path("projects/<slug:slug>/discards/", selection.discard_many, name="discard-many"),
    path("projects/<slug:slug>/zip/", selection.download_zip, name="zip"),
    path("artifacts/<int:artifact_id>/", file.artifact, name="artifact"),
    path("artifacts/<int:artifact_id>/content/", content.content, name="artifact-content"),
    path("artifacts/<int:artifact_id>/versions/<int:number>/content/", content.version_content, name="version-content"),
    path("artifacts/<int:artifact_id>/versions/<int:number>/restore/", versions.restore, name="restore"),
    path("artifacts/<int:artifact_id>/rename/", moves.rename, name="rename"),
    path("artifacts/<int:artifact_id>/archive/", moves.archive, name="archive"),
    path("artifacts/<int:artifact_id>/unarchive/", moves.unarchive, name="unarchive"),
    path("artifacts/<int:artifact_id>/write-policy/", versions.write_policy, name="write-policy"),
    path("artifacts/<int:artifact_id>/take-over/", hand_overs.take_over, name="take-over"),
    path("artifacts/<int:artifact_id>/checkouts/", check_outs.check_out, name="check-out"),
    path("checkouts/<int:checkout_id>/", check_outs.redirect_to_file, name="checkout"),
    path("checkouts/<int:checkout_id>/check-in/", check_in.check_in, name="check-in"),
    path("checkouts/<int:checkout_id>/extend/", check_outs.extend, name="extend"),
    path("checkouts/<int:checkout_id>/discard/", check_outs.discard, name="discard"),
    path("checkouts/<int:checkout_id>/hand-over/", hand_overs.hand_over, name="hand-over"),
    path("checkouts/<int:checkout_id>/break/", breaks.break_, name="break"),
    path("proposals/<int:proposal_id>/content/", content.proposal_content, name="proposal-content"),
    path("artifacts/<int:artifact_id>/versions/<int:number>/preview/", previews.of_version, name="version-preview"),
    path("artifacts/<int:artifact_id>/versions/<int:number>/thumbnail/", previews.thumbnail, name="thumbnail"),
    path("proposals/", proposal_list.proposals, name="proposals"),
    path("proposals/<int:proposal_id>/", proposal.detail, name="proposal"),
    path("proposals/<int:proposal_id>/preview/", previews.of_proposal, name="proposal-preview"),
    path("proposals/<int:proposal_id>/accept/", proposal.accept, name="accept-proposal"),
    path("proposals/<int:proposal_id>/reject/", proposal.reject, name="reject-proposal"),
    path("proposals/<int:proposal_id>/rebuild/", proposal.rebuild, name="rebuild-proposal"),
    path("proposals/<int:proposal_id>/withdraw/", proposal.withdraw, name="withdraw-proposal"),
]
