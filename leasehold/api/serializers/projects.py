"""Fields of projects and members, in requests and responses."""

from rest_framework import serializers

from leasehold.api.base.fields import Flag, Text
from leasehold.models import Role, User, WritePolicy


class NewProject(serializers.Serializer):
    slug = Text(50)
    name = Text(200)


class ProjectChange(serializers.Serializer):
    name = Text(200, required=False)
    write_policy = serializers.ChoiceField(
        WritePolicy.choices, required=False, help_text="What an agent's change becomes: a version, or a proposal."
    )
    two_person = Flag(required=False, help_text="A ticket's author may not approve it.")


class NewMember(serializers.Serializer):
    user = Text(150, help_text="The account's name.")
    role = serializers.ChoiceField(Role.choices)


class ProjectShape(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(Role.choices, allow_null=True, help_text="The caller's own; null: none.")
    write_policy = serializers.ChoiceField(WritePolicy.choices, help_text="What an agent's change becomes.")
    two_person = serializers.BooleanField(help_text="A ticket's author may not approve it.")
    created_at = serializers.DateTimeField()


class MemberShape(serializers.Serializer):
    user = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(User.Kind.choices)
    role = serializers.ChoiceField(Role.choices)


class NamedProject(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
