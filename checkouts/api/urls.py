from django.urls import path

from checkouts.api import artifacts, check_ins, checkouts, edits, proposals, versions, zips
from leasehold.api import converters  # noqa: F401  (registers <id:> and <project:>)

urlpatterns = [
    path("projects/<project:slug>/artifacts/", artifacts.ProjectArtifacts.as_view()),
    path("projects/<project:slug>/checkouts/", checkouts.ProjectCheckouts.as_view()),
    path("projects/<project:slug>/zip/", zips.ProjectZip.as_view()),
    path("artifacts/<id:pk>/", artifacts.ArtifactDetail.as_view()),
    path("artifacts/<id:pk>/content/", artifacts.ArtifactContent.as_view()),
    path("artifacts/<id:pk>/versions/", versions.VersionList.as_view()),
    path("artifacts/<id:pk>/versions/<id:number>/", versions.VersionDetail.as_view()),
    path("artifacts/<id:pk>/versions/<id:number>/content/", versions.VersionContent.as_view()),
    path("artifacts/<id:pk>/versions/<id:number>/restore/", versions.VersionRestore.as_view()),
    path("artifacts/<id:pk>/unarchive/", artifacts.ArtifactUnarchive.as_view()),
    path("artifacts/<id:pk>/take-over/", checkouts.ArtifactTakeOver.as_view()),
    path("artifacts/<id:pk>/checkouts/", checkouts.ArtifactCheckouts.as_view()),
    path("checkouts/", checkouts.Checkouts.as_view()),
    path("checkouts/<id:pk>/", checkouts.CheckoutDetail.as_view()),
    path("checkouts/<id:pk>/extend/", checkouts.CheckoutExtend.as_view()),
    path("checkouts/<id:pk>/discard/", checkouts.CheckoutDiscard.as_view()),
    path("checkouts/<id:pk>/break/", checkouts.CheckoutBreak.as_view()),
    path("checkouts/<id:pk>/hand-over/", checkouts.CheckoutHandOver.as_view()),
    path("checkouts/<id:pk>/check-in/", check_ins.CheckIn.as_view()),
    path("artifacts/<id:pk>/edits/", edits.ArtifactEdits.as_view()),
    path("edits/<uuid:pk>/", edits.EditDetail.as_view(), name="api-edit"),
    path("edits/<uuid:pk>/content/", edits.EditContent.as_view()),
    path("proposals/", proposals.Proposals.as_view()),
    path("proposals/<id:pk>/", proposals.ProposalDetail.as_view()),
    path("proposals/<id:pk>/content/", proposals.ProposalContent.as_view()),
    path("proposals/<id:pk>/accept/", proposals.ProposalAccept.as_view()),
    path("proposals/<id:pk>/reject/", proposals.ProposalReject.as_view()),
    path("proposals/<id:pk>/withdraw/", proposals.ProposalWithdraw.as_view()),
    path("proposals/<id:pk>/rebuild/", proposals.ProposalRebuild.as_view()),
]
