"""The fields of API requests and responses.

requests.py     bodies: JSON is validated by these, uploads are only documented
responses.py    what the API sends, for the OpenAPI document
"""
