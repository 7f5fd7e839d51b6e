"""Users of the demo: an admin, two reviewers and a viewer, with passwords generated on this machine."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import Group, User

from projects.sites.permissions import ADMINS, REVIEWERS, VIEWERS

_PEOPLE = (
    ("admin", "Ada", "Admin", ADMINS, "admin: full access"),
    ("rosa", "Rosa", "Keller", REVIEWERS, "reviewer: uploads and reviews documents"),
    ("milo", "Milo", "Brandt", REVIEWERS, "reviewer: for a second approval, or to see who was first"),
    ("vera", "Vera", "Okafor", VIEWERS, "viewer: read-only"),
)


@dataclass(frozen=True)
class Login:
    username: str
    password: str
    role: str


def ensure_logins(path: Path) -> list[Login]:
    """Create missing users; passwords are stored in ``path``, readable by its owner only; changed ones are not reset.

    Raises:
        OSError: the file cannot be written.

    """
    passwords: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    logins = []
    for username, first_name, last_name, role, words in _PEOPLE:
        user = User.objects.filter(username=username).first()
        if user is None:
            password = passwords.setdefault(username, secrets.token_urlsafe(9))
            _write(path, json.dumps(passwords, indent=1))  # first: otherwise Ctrl-C in between would lose the passwords
            user = User(username=username, first_name=first_name, last_name=last_name)
            user.is_staff = user.is_superuser = role == ADMINS
            user.set_password(password)
            user.save()
            user.groups.set([Group.objects.get_or_create(name=role)[0]])
        logins.append(Login(username, passwords.get(username, "(unchanged)"), words))
    return logins


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
