import pytest
from django.test import Client

from tests.each import each

pytestmark = pytest.mark.django_db


@each("path", ["/healthz", "/readyz", "/metrics"])
@each("hosts", [["desk.example.com"], [".example.com"], ["*"]])
def test_machines_may_ask_a_process_by_its_address(path, hosts, settings, table):
    settings.ALLOWED_HOSTS = hosts
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get(path, headers={"host": "10.0.3.7:8000"}).status_code == 200


def test_pages_are_for_the_desks_own_host_names(settings):
    settings.ALLOWED_HOSTS = ["desk.example.com"]
    for path in ("/login/", "/healthz/", "/api/v1/openapi.json"):
        assert Client().get(path, headers={"host": "10.0.3.7:8000"}).status_code == 400


def test_pages_ask_for_tls(settings):
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().get("/login/")
    assert (answer.status_code, answer["Location"]) == (301, "https://testserver/login/")
