from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from leasehold.api import journal, leases, me, passes, projects, sessions, tickets, tokens

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path(
        "docs/",
        SpectacularSwaggerSplitView.as_view(template_name="api/docs.html", title="Leasehold API"),
        name="api-docs",
    ),
    path("me/", me.Me.as_view()),
    path("tokens/", tokens.Tokens.as_view()),
    path("tokens/<id:pk>/", tokens.TokenDetail.as_view()),
    path("projects/", projects.Projects.as_view()),
    path("projects/<project:slug>/", projects.ProjectDetail.as_view()),
    path("projects/<project:slug>/members/", projects.Members.as_view()),
    path("projects/<project:slug>/members/<account:name>/", projects.MemberDetail.as_view()),
    path("leases/", leases.Leases.as_view()),
    path("leases/break/", leases.LeaseBreak.as_view()),
    path("passes/", passes.Passes.as_view()),
    path("passes/renew/", passes.PassRenew.as_view()),
    path("passes/release/", passes.PassRelease.as_view()),
    path("passes/expire/", passes.PassExpire.as_view()),
    path("entries/", journal.Entries.as_view()),
    path("entries/export/", journal.EntriesExport.as_view(), name="entries-export"),
    path("tickets/", tickets.Tickets.as_view()),
    path("tickets/<id:pk>/", tickets.TicketDetail.as_view(), name="api-ticket"),
    path("tickets/<id:pk>/approve/", tickets.TicketApprove.as_view()),
    path("tickets/<id:pk>/start/", tickets.TicketStart.as_view()),
    path("tickets/<id:pk>/resume/", tickets.TicketResume.as_view()),
    path("tickets/<id:pk>/accept/", tickets.TicketAccept.as_view()),
    path("tickets/<id:pk>/send-back/", tickets.TicketSendBack.as_view()),
    path("tickets/<id:pk>/cancel/", tickets.TicketCancel.as_view()),
    path("sessions/", sessions.Sessions.as_view()),
    path("sessions/<id:pk>/", sessions.SessionDetail.as_view(), name="api-session"),
    path("sessions/<id:pk>/checkpoint/", sessions.SessionCheckpoint.as_view()),
    path("sessions/<id:pk>/submit/", sessions.SessionSubmit.as_view()),
    path("sessions/<id:pk>/block/", sessions.SessionBlock.as_view()),
    path("sessions/<id:pk>/stop/", sessions.SessionStop.as_view()),
]
