"""Django's settings, all read from the environment; `docs/operating.md` lists each variable.

environment.py    one function for each variable that needs more than `int()`
"""

import os
import sys
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from leasehold.settings.environment import database_from, is_true, programs_from, secret_key_from

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = Path(os.environ.get("LEASEHOLD_DATA") or BASE_DIR / "var").resolve()

DEBUG = is_true(os.environ.get("DEBUG", ""))
SECRET_KEY = secret_key_from(os.environ.get("SECRET_KEY", ""), DATA_DIR / "secret_key")

# With a public address of https, cookies are secure, HSTS is on, and http is redirected.
PUBLIC_URL = os.environ.get("LEASEHOLD_URL", "http://127.0.0.1:8000").rstrip("/")
_public = urlsplit(PUBLIC_URL)
IS_HTTPS = _public.scheme == "https"
ALLOWED_HOSTS = [host for host in os.environ.get("ALLOWED_HOSTS", "").split(",") if host] or [
    *{_public.hostname or "127.0.0.1", "127.0.0.1", "localhost", "[::1]"}
]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]

INSTALLED_APPS = [
    "leasehold.apps.LeaseholdAdmin",  # django.contrib.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "leasehold",
    "checkouts",
]
MIDDLEWARE = [
    "leasehold.http.middleware.RequestId",
    "leasehold.http.chunked.ChunkedBody",
    "django.middleware.security.SecurityMiddleware",
    "leasehold.http.middleware.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "leasehold.web.middleware.ReaderTimeZone",
    "leasehold.web.middleware.RefusalPages",
]
ROOT_URLCONF = "leasehold.urls"
WSGI_APPLICATION = "leasehold.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leasehold.web.context.page_context",
            ]
        },
    }
]

DATABASES = {"default": database_from(os.environ.get("DATABASE_URL", ""), DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "leasehold.User"
AUTHENTICATION_BACKENDS = ["leasehold.http.auth_backend.Accounts"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "projects"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
TIME_ZONE = os.environ.get("TIME_ZONE", "UTC")
USE_I18N = False
USE_TZ = True
FORMAT_MODULE_PATH = "leasehold.formats"

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "leasehold.http.static_files.HashedStaticFiles"},
}

SESSION_ENGINE = "leasehold.http.browser_sessions"
SESSION_COOKIE_AGE = int(timedelta(days=14).total_seconds())
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$"]  # health probes come from behind the proxy, by plain http
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = IS_HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if proxies := int(os.environ.get("LEASEHOLD_PROXIES", "0")):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leasehold.api.base.authentication.BearerToken",
        "leasehold.api.base.authentication.BrowserSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["leasehold.api.base.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "leasehold.api.base.problems.problem",
    "NUM_PROXIES": proxies,
    "ALLOWED_VERSIONS": ["1"],  # the schema's view would write any other requested version into a header
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Leasehold",
    "VERSION": "1",
    "DESCRIPTION": "Check native files out and in, on leases. Every error is `application/problem+json`.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "persistAuthorization": False, "validatorUrl": None},
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "ENUM_NAME_OVERRIDES": {
        "AccountKind": "leasehold.models.user.User.Kind",
        "CheckoutState": "checkouts.models.checkout.Checkout.State",
        "CheckoutOutcome": "checkouts.models.checkout.Checkout.Outcome",
        "FailureKind": "leasehold.models.ticket.Failure.Kind",
        "SessionStatus": "leasehold.models.ticket.Session.Status",
        "ProposalState": "checkouts.models.proposal.Proposal.State",
        "TicketStatus": "leasehold.models.ticket.Ticket.Status",
        "WithProposal": ["proposed"],
        "WithVersion": ["committed", "unchanged"],
        "WritePolicy": "leasehold.models.project.WritePolicy",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leasehold.api.base.schema.with_problems",
        "leasehold.api.base.schema.with_keys",
    ],
}

# --- Leasehold's own -------------------------------------------------------------------------------------------------
LEASEHOLD_CHECKOUT_TTL = int(os.environ.get("LEASEHOLD_CHECKOUT_TTL", str(8 * 3600)))  # seconds
LEASEHOLD_STALE_AFTER = int(os.environ.get("LEASEHOLD_STALE_AFTER", str(24 * 3600)))  # seconds
LEASEHOLD_UPLOAD_LIMIT = int(os.environ.get("LEASEHOLD_UPLOAD_LIMIT", str(50 * 1024**3)))  # bytes
LEASEHOLD_APPS = programs_from(os.environ.get("LEASEHOLD_APPS", ""))  # for manage.py edit only
LEASEHOLD_BLOBS = DATA_DIR / "blobs"
LEASEHOLD_KEEP_SWEPT = int(os.environ.get("LEASEHOLD_KEEP_SWEPT") or 30)  # days
LEASEHOLD_PREVIEWS = DATA_DIR / "previews"  # a cache: missing previews are made again
LEASEHOLD_X_ACCEL_PREFIX = os.environ.get("LEASEHOLD_X_ACCEL_PREFIX", "")
LEASEHOLD_PROXIES = proxies
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440  # bytes of a form's fields; files are streamed and do not count

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "line"}},
    # A refusal is a normal response, so a 4xx is not logged here; the access log has it, if there is one.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # scanners would cause one traceback each
    },
    "root": {"handlers": ["stderr"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
}
