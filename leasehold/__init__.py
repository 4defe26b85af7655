"""The ground floor and the front door: who may act where, and leases on named resources.

From the top down, each layer importing only those below it:

    surfaces    api/  web/  admin.py  management/commands/
    verbs       actions/  selectors.py
    substance   rules.py  models/  leases.py (the engine)  journal.py  names.py
    bedrock     exceptions.py  clock.py

This floor knows nothing of files. What it must ask of the floor above, it asks through `ports.py`.
"""
