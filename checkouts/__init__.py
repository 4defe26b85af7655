"""The upper floor: files, checked out and in on leases from the floor below.

It may import `leasehold`; `leasehold` never imports it. A group imports only from itself and from the groups below it;
import-linter holds this (`pyproject.toml`).

    apps.py          what happens when Django starts
    wiring.py        joins this floor to the ground floor

    api/             the REST API
    web/             the pages for the browser
    admin/           the pages of Django's admin
    management/      the commands of `manage.py`

    http/            uploads, downloads and zips
    programs/        edits by a local program
    trees.py         import and export of a folder on disk
    backups/         backups of a whole site, and their restoration

    actions/         the verbs; only they and what they call write domain rows
    attempts/        check-outs and edits as one kind of attempt: open, lock, end, lose
    previews/        small pictures of files

    selectors/       the queries, each limited to what the actor may see
    rules.py         the verdicts on check-ins and edits as pure functions
    outcomes.py      the results of a check-out and of a check-in
    versions.py      the rows of a new version
    entries.py       journal entries about artifacts
    wording.py       sentences about results and effects that several doors share
    doubts.py        what must be asked about an upload
    bytes/           stored bytes on disk

    models/          the tables
    migrations/      their history

    exceptions.py    the refusals
    demo/            the files of the demo project
"""
