"""Fields of a journal entry."""

from rest_framework import serializers


class EntryShape(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.CharField()
    participant = serializers.CharField()
    subject = serializers.CharField()
    project = serializers.CharField(allow_null=True)
    request_id = serializers.CharField()
    data = serializers.DictField()  # type: ignore[assignment]  # the column's name
