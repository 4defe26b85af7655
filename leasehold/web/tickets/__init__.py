"""Pages of tickets and their sessions.

ticket_list.py       the list of tickets
ticket.py            one ticket
ticket_forms.py      create and edit a ticket
scope_question.py    the question about a scope key that reserves no file
scope.py             a ticket's scope keys, and what would refuse a start
verb_forms.py        the form for each verb on a ticket
verbs.py             the POST of each verb
rights.py            what the reader may do with a ticket
runs.py              a session as a page shows it
reservers.py         the ticket that reserves something, and who works there
refusals.py          what a refusal page adds about a ticket
"""
