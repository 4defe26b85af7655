"""Pages of a project's files.

project.py       folders and files, and adding a file
selection.py     verbs on several files: check out, discard, zip
file_rows.py     a file as a row of the list
busy_files.py    the files of a selection that somebody else has
headings.py      column headings that sort
"""
