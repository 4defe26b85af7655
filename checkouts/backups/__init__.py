"""Backups of a whole site: rows and bytes in a folder that does not depend on the kind of database.

folders.py        the folder of backups: what is in it, the unfinished one, its lock, and thinning
manifest.py       what one backup contains, as a JSON file
tables.py         which tables are saved, and a row as JSON
sequences.py      the last id that each table gave out
snapshot.py       a read transaction on a connection of its own
rows.py           one compressed file of rows for each table
copies.py         copies and hard links of bytes, synced to disk
creation.py       make a backup while people work
proof.py          read backups back and compare them with their manifests
restoration.py    fill an empty site from a backup
"""
