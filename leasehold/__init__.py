"""The ground floor: accounts, projects, tickets, and leases on named resources. It knows nothing of files.

A group imports only from itself and from the groups below it; import-linter holds this (`pyproject.toml`).

    urls.py          the addresses of the whole site
    wsgi.py          the WSGI application
    apps.py          what happens when Django starts

    api/             the REST API
    web/             the pages for the browser
    admin/           the pages of Django's admin
    admin_site.py    the admin site itself, with the product's own sign-in page
    management/      the commands of `manage.py`
    passes/          locks on a role and a context, for a dispatcher in Python
    templatetags/    template filters and tags
    http/            middleware, gunicorn's settings, and JSON errors

    actions/         the verbs; only they and what they call write domain rows
    scopes/          what a ticket's reservations cover, and what its scope keys mean
    selectors/       the queries, each limited to what the actor may see

    ports.py         questions that this floor asks the floor above
    journal.py       writes journal entries; the list of their kinds
    sites/           the identity of the installation, in the database and beside the stored bytes
    leases/          the lease engine

    actors.py        `Actor`: the account that acts, its rights and its client
    rules.py         roles and ticket states as pure functions
    models/          the tables
    migrations/      their history

    exceptions.py    the refusals
    wording.py       sentences about decisions on tickets that the pages and the admin share
    request_ids.py   the id of the current request, for the journal and error reports
    registry.py      a table that the floor above adds to when Django starts
    database/        the clock, transactions, and helpers for SQL
    names.py         how paths, keys and texts are normalised and compared
    pass_names.py    how a pass is named as a lease
    settings/        Django's settings, read from the environment
    formats/         how the admin writes dates and times
"""
