"""The upper floor: native files, checked out and in on leases from the floor below.

    surfaces    api/  web/  admin.py  management/commands/
    verbs       actions/  selectors.py
    substance   rules.py  models/  storage.py (bytes)
    bedrock     exceptions.py

It may import `leasehold`; `leasehold` never imports it.
"""
