from django.urls import path

from checkouts.web import artifacts, board, breaking, checkouts, projects, refusals

refusals.register()

urlpatterns = [
    path("board/", board.board, name="board"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/files/", projects.add, name="add"),
    path("artifacts/<int:artifact_id>/", artifacts.artifact, name="artifact"),
    path("artifacts/<int:artifact_id>/content/", artifacts.content, name="artifact-content"),
    path(
        "artifacts/<int:artifact_id>/versions/<int:number>/content/", artifacts.version_content, name="version-content"
    ),
    path("artifacts/<int:artifact_id>/checkouts/", checkouts.check_out, name="check-out"),
    path("checkouts/<int:checkout_id>/", checkouts.checkout, name="checkout"),
    path("checkouts/<int:checkout_id>/check-in/", checkouts.check_in, name="check-in"),
    path("checkouts/<int:checkout_id>/extend/", checkouts.extend, name="extend"),
    path("checkouts/<int:checkout_id>/discard/", checkouts.discard, name="discard"),
    path("checkouts/<int:checkout_id>/break/", breaking.break_, name="break"),
    path("proposals/<int:proposal_id>/content/", artifacts.proposal_content, name="proposal-content"),
]
