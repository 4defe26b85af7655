"""How bytes come in and go out over HTTP, for the API and the pages alike.

uploads.py      the files of a request, raw or in a form, as uploads
multipart.py    the files of a form, streamed into storage
digests.py      the digest that a client announces
downloads.py    one file as an attachment, whole or in part
zips.py         several files as one zip, sent as it is made
statuses.py     the status of each refusal of this floor
"""
