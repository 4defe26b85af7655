from django.urls import path, register_converter

from leasehold.web import ticket, tickets, views
from leasehold.web.ticket_acts import VERBS


class Verb:
    """An act on a ticket, in its address; any other word is a page that is not there."""

    regex = "|".join(VERBS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Verb, "verb")

urlpatterns = [
    path("", views.projects, name="projects"),
    path("tickets/", tickets.tickets, name="tickets"),
    path("tickets/new/", tickets.new_ticket, name="new-ticket"),
    path("tickets/<int:ticket_id>/", ticket.ticket, name="ticket"),
    path("tickets/<int:ticket_id>/edit/", tickets.edit_ticket, name="edit-ticket"),
    path("tickets/<int:ticket_id>/<verb:verb>/", ticket.act, name="ticket-act"),
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("theme/", views.theme, name="theme"),
]
