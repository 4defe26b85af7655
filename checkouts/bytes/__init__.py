"""Users' bytes on disk: written before a row names them, and read back to verify them.

site_file.py       the mark of the site in the folder of bytes
blob_folder.py     the folder as a store of the site
storage.py         receive, open and discard stored bytes
intake.py          an upload, kept or discarded by what the action on it returns
returns.py         give missing bytes back from an upload that equals them
sweep.py           find and remove what interrupted uploads left
verification.py    compare every stored file with its row
"""
