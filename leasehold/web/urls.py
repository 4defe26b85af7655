from django.urls import path, register_converter

from leasehold.web import account, journal, members, people, ticket, ticket_forms, tickets, views
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
    path("tickets/new/", ticket_forms.new_ticket, name="new-ticket"),
    path("tickets/<int:ticket_id>/", ticket.ticket, name="ticket"),
    path("tickets/<int:ticket_id>/edit/", ticket_forms.edit_ticket, name="edit-ticket"),
    path("tickets/<int:ticket_id>/<verb:verb>/", ticket.act, name="ticket-act"),
    path("journal/", journal.journal, name="journal"),
    path("profile/", account.profile, name="profile"),
    path("profile/password/", account.password, name="password"),
    path("profile/tokens/", account.add_token, name="add-token"),
    path("profile/tokens/<int:token_id>/revoke/", account.revoke_token, name="revoke-token"),
    path("projects/<slug:slug>/members/", members.members, name="members"),
    path("projects/<slug:slug>/members/set/", members.set_member, name="set-member"),
    path("projects/<slug:slug>/members/<str:username>/remove/", members.remove_member, name="remove-member"),
    path("projects/<slug:slug>/settings/", members.set_project, name="set-project"),
    path("people/", people.people, name="people"),
    path("people/new/", people.new_person, name="new-person"),
    path("people/<int:user_id>/", people.person, name="person"),
    path("people/<int:user_id>/password/", people.set_password, name="set-password"),
    path("people/<int:user_id>/tokens/", people.give_token, name="give-token"),
    path("people/<int:user_id>/tokens/<int:token_id>/revoke/", people.take_token, name="take-token"),
    path("people/<int:user_id>/deactivate/", people.deactivate, name="deactivate-person"),
    path("people/<int:user_id>/activate/", people.activate, name="activate-person"),
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("theme/", views.theme, name="theme"),
]
