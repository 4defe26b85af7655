from django.urls import path, register_converter

from leasehold.web.journal import journal
from leasehold.web.people import accounts, profile
from leasehold.web.projects import members, project_list
from leasehold.web.sign_in import views as sign_in
from leasehold.web.tickets import ticket, ticket_forms, ticket_list
from leasehold.web.tickets.verbs import VERBS


class Verb:
    """A verb on a ticket, in its address. Any other word gives 404."""

    regex = "|".join(VERBS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Verb, "verb")

urlpatterns = [
    path("", project_list.projects, name="projects"),
    path("tickets/", ticket_list.tickets, name="tickets"),
    path("tickets/new/", ticket_forms.new_ticket, name="new-ticket"),
    path("tickets/<int:ticket_id>/", ticket.ticket, name="ticket"),
    path("tickets/<int:ticket_id>/edit/", ticket_forms.edit_ticket, name="edit-ticket"),
    path("tickets/<int:ticket_id>/<verb:verb>/", ticket.post_verb, name="ticket-verb"),
    path("journal/", journal.journal, name="journal"),
    path("profile/", profile.profile, name="profile"),
    path("profile/password/", profile.password, name="password"),
    path("profile/tokens/", profile.add_token, name="add-token"),
    path("profile/tokens/<int:token_id>/revoke/", profile.revoke_token, name="revoke-token"),
    path("projects/<slug:slug>/members/", members.members, name="members"),
    path("projects/<slug:slug>/members/set/", members.set_member, name="set-member"),
    path("projects/<slug:slug>/members/<str:username>/remove/", members.remove_member, name="remove-member"),
    path("projects/<slug:slug>/settings/", members.set_project, name="set-project"),
    path("people/", accounts.people, name="people"),
    path("people/new/", accounts.new_person, name="new-person"),
    path("people/<int:user_id>/", accounts.person, name="person"),
    path("people/<int:user_id>/password/", accounts.set_password, name="set-password"),
    path("people/<int:user_id>/tokens/", accounts.add_agent_token, name="give-token"),
    path("people/<int:user_id>/tokens/<int:token_id>/revoke/", accounts.revoke_agent_token, name="take-token"),
    path("people/<int:user_id>/deactivate/", accounts.deactivate, name="deactivate-person"),
    path("people/<int:user_id>/activate/", accounts.activate, name="activate-person"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("theme/", sign_in.theme, name="theme"),
]
