"""The people of every access test: Alice configures, Bob reviews, Charlie looks, Dora has no role yet."""

from django.contrib.auth.models import Group, User
from django.test import Client

from projects.sites.permissions import ADMINS, REVIEWERS, VIEWERS

PASSWORD = "a word for tests only"


def person(username: str, last_name: str, *roles: str) -> User:
    user, made = User.objects.get_or_create(
        username=username, defaults={"first_name": username.capitalize(), "last_name": last_name}
    )
    if made:
        user.set_password(PASSWORD)
        user.save()
        user.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return user


def alice() -> User:
    return person("alice", "Novak", ADMINS)


def bob() -> User:
    return person("bob", "Ito", REVIEWERS)


def charlie() -> User:
    return person("charlie", "Mbeki", VIEWERS)


def dora() -> User:
    return person("dora", "Weiss")


def signed_in(user: User, *, htmx: bool = False) -> Client:
    """A browser of this person's; with ``htmx`` it asks for fragments."""
    client = Client(headers={"hx-request": "true"} if htmx else None)
    client.force_login(user)
    return client
