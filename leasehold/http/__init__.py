"""HTTP plumbing that the API, the pages and the admin share.

middleware.py          the request id and the content security policy
chunked.py             request bodies without a Content-Length
browser_sessions.py    Django's session store
auth_backend.py        loads the signed-in account
statuses.py            the status of each refusal
problems.py            errors as `application/problem+json`
json_values.py         values as JSON
static_files.py        hashed names for static files, and in the imports between script modules
gunicorn_conf.py       gunicorn's settings
"""
