import re
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import constants, environment
from tests.each import each


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many"])
def test_what_is_no_number_is_named_with_its_variable_and_its_default(text, monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_ANYTHING", text)
    with pytest.raises(ImproperlyConfigured, match=f"COUNTERSIGN_ANYTHING is '{text}': .* unset it for the default"):
        environment.number_variable("COUNTERSIGN_ANYTHING", 7)


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_ANYTHING", "")
    assert environment.number_variable("COUNTERSIGN_ANYTHING", 7) == 7
    with pytest.raises(ImproperlyConfigured, match="COUNTERSIGN_ANYTHING is not set: what it is for"):
        environment.required_variable("COUNTERSIGN_ANYTHING", "what it is for.")


KNOWN = {"SWEEP_SECONDS": 10, "LOG_LEVEL": "INFO", "number": 1}


def test_constants_are_replaced_by_name(monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_OVERRIDES", '{"SWEEP_SECONDS": 2}')
    assert environment.overrides("COUNTERSIGN_OVERRIDES", KNOWN) == {"SWEEP_SECONDS": 2}
    monkeypatch.delenv("COUNTERSIGN_OVERRIDES")
    assert environment.overrides("COUNTERSIGN_OVERRIDES", KNOWN) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SWEEP_SECONDS=2", "is not valid JSON"),
        ("[2]", "is not a JSON object"),
        ('{"SWEEP_SECONDS": "2"}', "has SWEEP_SECONDS='2'"),
        ('{"SWEEPS": 2}', "has SWEEPS=2"),
        ('{"number": 2}', "has number=2"),
        ('{"NOTHING": null}', "has NOTHING=None"),
    ],
)
def test_an_override_that_replaces_nothing_is_named(text, said, monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_OVERRIDES", text)
    with pytest.raises(ImproperlyConfigured, match=re.escape(f"COUNTERSIGN_OVERRIDES {said}")):
        environment.overrides("COUNTERSIGN_OVERRIDES", KNOWN)


def test_no_override_says_where_the_desk_runs(monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_OVERRIDES", '{"ON_LAPTOP": false}')
    with pytest.raises(ImproperlyConfigured, match="has ON_LAPTOP=False"):
        environment.overrides("COUNTERSIGN_OVERRIDES", vars(constants))


def test_processes_that_start_at_once_agree_on_one_secret_that_only_they_can_read(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: environment.own_secret(tmp_path / "state"), range(64)))
    stored = tmp_path / "state/secret-key"
    assert secrets == {stored.read_text()}
    assert list(stored.parent.iterdir()) == [stored]
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600


@each("url", ["opa.example.org", "ftp://opa.example.org", "http://opa.example.org:8181"])
def test_a_server_is_asked_over_the_network_by_https_only(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERSIGN_ANYTHING", url)
    with pytest.raises(ImproperlyConfigured, match="COUNTERSIGN_ANYTHING"):
        environment.server_variable("COUNTERSIGN_ANYTHING")


def test_a_server_s_address_has_no_slash_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not environment.server_variable("COUNTERSIGN_ANYTHING")
    monkeypatch.setenv("COUNTERSIGN_ANYTHING", "http://localhost:8181/")
    assert environment.server_variable("COUNTERSIGN_ANYTHING") == "http://localhost:8181"
