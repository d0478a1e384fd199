"""Sends requests generated from the contract to the real program, as nobody, parent, staff and owner, on
SQLite and on PostgreSQL (safety T12), and fails when one is answered with a 5xx, with a status or a
media type that the contract does not name, or with a body that does not fit it.

    run.py CAMP [short|long]

`CAMP_TEST_POSTGRES_URL` names a PostgreSQL server; `just schemathesis` starts one.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROLES = ["nobody", "parent", "staff", "owner"]
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
]
# The number of requests for each operation, role and engine.
FORMS = {
    "short": ["--phases=fuzzing", "--max-examples=4"],
    "long": ["--phases=examples,coverage,fuzzing", "--max-examples=40"],
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def database(engine, folder):
    if engine == "sqlite":
        return f"sqlite://{folder}/camp.db"
    server = os.environ["CAMP_TEST_POSTGRES_URL"]
    name = f"schemathesis_{os.getpid()}"
    subprocess.run(["psql", "-q", server, "-c", f"create database {name}"], check=True)
    return f"{server.rsplit('/', 1)[0]}/{name}"


def serve(camp, engine, folder):
    """The portal with its worker and a sample camp; returns process, address and command."""
    url = f"http://127.0.0.1:{free_port()}"
    command = [
        camp, "--data-dir", folder, "--database-url", database(engine, folder), "--public-url", url,
    ]
    subprocess.run([*command, "seed", "--sample", "general"], check=True, capture_output=True)
    serving = ["serve", "--with-worker", "--bind", url.removeprefix("http://")]
    log = open(Path(folder) / "log", "w")
    portal = subprocess.Popen(
        [*command, *serving, "--trusted-proxies", "127.0.0.1"], stdout=log, stderr=log
    )
    for _ in range(300):
        try:
            urllib.request.urlopen(url + "/healthz", timeout=2)
            return portal, url, command
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"The portal did not start: {(Path(folder) / 'log').read_text()[-2000:]}")


def resident(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024


def run(form, role, url, command, folder):
    """Returns the number of requests sent, and whether all succeeded."""
    count = Path(folder) / f"count-{role}"
    environment = {
        **os.environ,
        "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        "CAMP_URL": url,
        "CAMP_ROLE": role,
        "CAMP_DATA": folder,
        "CAMP_COUNT": str(count),
        "CAMP_COMMAND": json.dumps(command),
        "COVERAGE": "",
    }
    schemathesis = Path(sys.executable).parent / "schemathesis"
    # An event stream never ends.
    arguments = [
        "run", f"{url}/api/openapi.json", f"--checks={','.join(CHECKS)}", *FORMS[form],
        "--exclude-path=/api/events", "--suppress-health-check=all", "--warnings=off",
        "--request-timeout=30", "--max-failures=20", "--seed=1", "--no-color", "--max-redirects=0",
    ]
    done = subprocess.run(
        [schemathesis, *arguments], env=environment, cwd=folder, text=True, capture_output=True
    )
    if done.returncode != 0:
        print(done.stdout[-12_000:], done.stderr[-3_000:], sep="\n", flush=True)
    sent = int(count.read_text()) if count.exists() else 0
    return sent, done.returncode == 0 and sent > 0


def main():
    camp = str(Path(sys.argv[1]).resolve())
    form = sys.argv[2] if len(sys.argv) > 2 else "short"
    total, well = 0, True
    for engine in ["sqlite", "postgres"]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            portal, url, command = serve(camp, engine, folder)
            try:
                for role in ROLES:
                    began, before = time.monotonic(), resident(portal)
                    sent, good = run(form, role, url, command, folder)
                    total, well = total + sent, well and good
                    print(
                        f"{engine}, {role}: {sent} requests in {time.monotonic() - began:.0f} s, "
                        f"{'all answered as the contract says' if good else 'FAILED'}; resident "
                        f"memory {before} MB, then {resident(portal)} MB",
                        flush=True,
                    )
            finally:
                portal.send_signal(signal.SIGTERM)
                portal.wait(timeout=30)
    print(f"{total} requests")
    sys.exit(0 if well else 1)


main()
