"""gunicorn's settings; `manage.py serve` starts it with this file.

One process for each core, from two to four, so that one can hash while another answers. Threads wait for disks and
clients: an upload or download holds one for as long as it lasts. Processes × threads is also the number of database
connections. The environment overrides both numbers.
"""

import os
import sys
from pathlib import Path
from typing import Any

wsgi_app = "leasehold.wsgi:application"
worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY") or min(4, max(2, os.cpu_count() or 1)))
threads = int(os.environ.get("LEASEHOLD_THREADS") or 16)

# A worker's main thread sends the heartbeat, not the threads that serve, so an upload of an hour is not cut off.
timeout = 60
graceful_timeout = 30
keepalive = 75  # idle connections wait in the poller and cost no thread
# The heartbeat's file is kept in memory, where no slow disk can delay it.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  # nosec B108
sendfile = True
limit_request_line = 8190  # long enough for a percent-encoded path of 1,024 bytes and a comment
control_socket_disable = True

accesslog = "-" if os.environ.get("LEASEHOLD_ACCESS_LOG", "") not in ("", "0") else None
loglevel = os.environ.get("LOG_LEVEL", "WARNING").lower()

# Which addresses may set X-Forwarded-Proto: none, unless the server is behind proxies.
_proxies = int(os.environ.get("LEASEHOLD_PROXIES", "0"))
forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1") if _proxies else ""


def when_ready(server: Any) -> None:
    """Print the address once the server listens; gunicorn calls this."""
    sys.stdout.write(f"Leasehold serves on {', '.join(map(str, server.LISTENERS))} (Ctrl-C ends it)\n")
    sys.stdout.flush()
