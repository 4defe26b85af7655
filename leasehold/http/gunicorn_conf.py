"""How gunicorn serves Leasehold; `manage.py serve` starts it with this file. Each value can be set from outside.

One process for each core, at least two, so that one may hash while another answers. Threads wait for disks and clients:
an upload or download holds one for as long as it lasts. Processes × threads is also the number of database connections.
"""

import os
import sys
from pathlib import Path
from typing import Any

wsgi_app = "leasehold.wsgi:application"
worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY") or min(4, max(2, os.cpu_count() or 1)))
threads = int(os.environ.get("LEASEHOLD_THREADS") or 16)

# A worker's main thread gives the sign of life, not the threads that serve: an upload of an hour is not cut off.
timeout = 60
graceful_timeout = 30
keepalive = 75  # idle connections wait in the poller and cost no thread
# The heartbeat's file: in memory, where no slow disk can stop it.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  # nosec B108
sendfile = True
limit_request_line = 8190  # a path of 1,024 bytes, percent-encoded, and a comment beside it
control_socket_disable = True

accesslog = "-" if os.environ.get("LEASEHOLD_ACCESS_LOG", "") not in ("", "0") else None
loglevel = os.environ.get("LOG_LEVEL", "WARNING").lower()

# Who may say that a request came by https: nobody, unless we stand behind proxies.
_proxies = int(os.environ.get("LEASEHOLD_PROXIES", "0"))
forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1") if _proxies else ""


def when_ready(server: Any) -> None:
    sys.stdout.write(f"Leasehold serves on {', '.join(map(str, server.LISTENERS))} (Ctrl-C ends it)\n")
    sys.stdout.flush()
