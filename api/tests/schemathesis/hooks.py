"""Sends each request of schemathesis as one person in one role, and keeps that person signed in.

Every request comes from another address, which the portal believes because this machine is its
trusted proxy; so no limit of the product is weakened for the test. When a request has ended the
session or removed the account, the next person in the same role takes over.
"""

import atexit
import email
import json
import os
import random
import re
import subprocess
import time
import urllib.error
import urllib.request
from email import policy
from pathlib import Path

import schemathesis

URL = os.environ["CAMP_URL"]
ROLE = os.environ["CAMP_ROLE"]
DATA = Path(os.environ["CAMP_DATA"])
COUNT = Path(os.environ["CAMP_COUNT"])
CAMP = json.loads(os.environ["CAMP_COMMAND"])
PASSWORD = "lantern over the lake"
# A URL that this role can always read.
OWN = {"parent": "/api/profile", "staff": "/api/admin/faq/stats", "owner": "/api/admin/accounts"}
# Requests that would lock everybody out for the rest of the run.
OPEN = {
    "access": "everyone",
    "enableTwoFactor": "false",
    "userRegistrations": "true",
    "requireEmailVerification": "true",
}


@schemathesis.serializer("application/offset+octet-stream")
def piece(_context, value):
    """Bytes of an upload."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def address():
    return ".".join(str(random.randint(11, 220)) for _ in range(4))


def call(method, path, body=None, cookie=None):
    """Sends one request; returns status and cookies."""
    headers = {"sec-fetch-site": "same-origin", "x-forwarded-for": address()}
    if cookie:
        headers["cookie"] = cookie
    if body is not None:
        headers["content-type"] = "application/json"
        body = json.dumps(body).encode()
    request = urllib.request.Request(URL + path, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            set_cookies = reply.headers.get_all("set-cookie") or []
            return reply.status, "; ".join(one.split(";")[0] for one in set_cookies)
    except urllib.error.HTTPError as refused:
        return refused.code, ""


def mailed_token(to):
    """The token in the mail to somebody, as soon as the worker has sent it."""
    for _ in range(300):
        for file in (DATA / "mail").glob("*.eml"):
            mail = email.message_from_bytes(file.read_bytes(), policy=policy.default)
            if to in str(mail["to"]):
                text = mail.get_body(("plain",)).get_content()
                if found := re.search(r"token=([\w.~-]+)", text):
                    return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"no mail to {to}")


def parent(name):
    to = f"{name}@family.example"
    form = {
        "name": name, "email": to, "password": PASSWORD, "user_type": "parent", "child_name": "Yossi",
        "email_notifications": True, "daily_video_email": True, "camp_updates_email": False,
    }
    status, cookie = call("POST", "/api/auth/sign-up", form)
    assert status == 201, f"signing up was answered {status}"
    status, more = call("POST", "/api/auth/verify", {"token": mailed_token(to)}, cookie)
    assert status == 200, f"confirming was answered {status}"
    return more if "session=" in more else cookie


def member(name):
    add = ["admin", "add", name, "--email", f"{name}@camp.example", "--role", ROLE]
    subprocess.run([*CAMP, *add], input=PASSWORD + "\n", text=True, check=True, capture_output=True)
    given = {"username": name, "password": PASSWORD}
    status, cookie = call("POST", "/api/admin/auth/sign-in", given)
    assert status == 200, f"signing in was answered {status}"
    return cookie


class Person:
    """The person who sends the current requests."""

    cookie = ""
    sent = 0
    arrived = 0

    def stay(self):
        if ROLE == "nobody" or (self.cookie and call("GET", OWN[ROLE], None, self.cookie)[0] == 200):
            return
        for name, value in OPEN.items():
            subprocess.run([*CAMP, "settings", "set", name, value], capture_output=True)
        # Other processes notice the change within seconds.
        time.sleep(2.5)
        self.arrived += 1
        name = f"{ROLE}-{os.getpid()}-{self.arrived}"
        self.cookie = parent(name) if ROLE == "parent" else member(name)


PERSON = Person()


@schemathesis.hook
def before_call(context, case, kwargs):
    if PERSON.sent % 40 == 0:
        PERSON.stay()
    PERSON.sent += 1
    case.headers["X-Forwarded-For"] = address()
    case.headers.setdefault("Sec-Fetch-Site", "same-origin")
    case.cookies = {}
    if PERSON.cookie:
        case.headers["Cookie"] = PERSON.cookie


@atexit.register
def tell():
    COUNT.write_text(str(PERSON.sent))
