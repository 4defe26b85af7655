"""The upper floor's pages for the browser, one sub-package for each noun, and what they share.

urls.py                  the addresses; joins these pages to those of the ground floor
projects/                a project's folders and files
files/                   one file, and the verbs on it
check_ins/               check in one file, or several
proposals/               proposals and the decisions on them
desk/                    my desk: my check-outs, sessions and proposals
board/                   the board: who holds what
operators/               the operators' queue
links.py                 addresses of files and folders, breadcrumbs, the redirect back
holds.py                 leases and reservations as pages show them
rights.py                what the reader may do with a file
views.py                 the decorator for views that need a signed-in reader
polling.py               pages that refresh themselves, and 304 while nothing has changed
promised_downloads.py    the download that follows a check-out
reports.py               verbs on several rows, and the messages about their results
refusal_pages.py         what a refusal page adds about a file
"""
