"""Where `collectstatic` puts static files, and under which names."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

# The two forms in which our script modules import each other, each on a line of its own.
NAMES = r"""(?m)^(?P<matched>(?P<names>import \{[^}]+\} from) "(?P<url>\./[^"]+)";)$"""
WHOLE = r"""(?m)^(?P<matched>import "(?P<url>\./[^"]+)";)$"""


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Static files, compressed, with the hash of their content in their names, so that browsers cache them for good.

    The imports in our script modules are rewritten to the hashed names too. Django's own switch for that,
    `support_js_module_import_aggregation`, reads the scripts of every app, and fails on a comment in one of htmx's.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("leasehold/js/*.js", ((NAMES, '%(names)s "%(url)s";'), (WHOLE, 'import "%(url)s";'))),
    )
