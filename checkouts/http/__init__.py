"""How bytes come in and go out over HTTP, for the API and the pages alike.

uploads.py           one uploaded file, streamed into storage
upload_batches.py    a form with several files
downloads.py         one file as an attachment, whole or in part
zips.py              several files as one zip, sent as it is made
"""
