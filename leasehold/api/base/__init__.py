"""What all endpoints of the API share, on both floors.

endpoint.py          the base classes of endpoints
authentication.py    tokens and browser sessions
converters.py        the types of values in API addresses
fields.py            strict fields for bodies and queries
filters.py           filters that several lists share
parsers.py           strict JSON
pagination.py        pages by cursor
idempotency.py       `Idempotency-Key`: the first answer again
problems.py          every refusal as `application/problem+json`, from one table
schema.py            helpers for the OpenAPI document
"""
