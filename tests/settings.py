"""The product's settings, with a temporary data folder and a database chosen by `TEST_DB`.

TEST_DB: `sqlite` (the default), `postgres` (a server started for this run), or a `postgres://` address.
"""

import atexit
import os
import shutil
import tempfile

from tests import postgres

_data = tempfile.mkdtemp(prefix="leasehold-test-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)
for _variable in ("LEASEHOLD_URL", "LEASEHOLD_PROXIES", "ALLOWED_HOSTS", "DEBUG", "SECRET_KEY", "TIME_ZONE"):
    os.environ.pop(_variable, None)  # a developer's shell must not change the results
os.environ["LEASEHOLD_DATA"] = _data
os.environ["DATABASE_URL"] = postgres.url_for(os.environ.get("TEST_DB") or "sqlite")

from leasehold.settings import *  # noqa: E402, F403
from leasehold.settings import MIDDLEWARE, STORAGES  # noqa: E402

# Fast, not safe: accounts in tests have known passwords. Hashes of the product's first hasher can still be checked.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
# Without collectstatic, static files are found in their source folders.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("whitenoise.")]
