import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many"])
def test_what_is_no_number_is_named_with_its_variable_and_its_default(text, monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_ANYTHING", text)
    with pytest.raises(ImproperlyConfigured, match=f"COUNTERSIGN_ANYTHING is '{text}': .* unset it for 7"):
        environment.number("COUNTERSIGN_ANYTHING", 7)


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_ANYTHING", "")
    assert environment.number("COUNTERSIGN_ANYTHING", 7) == 7
    with pytest.raises(ImproperlyConfigured, match="COUNTERSIGN_ANYTHING is not set: what it is for"):
        environment.required("COUNTERSIGN_ANYTHING", "what it is for.")


def test_processes_that_start_at_once_agree_on_one_secret_that_only_they_can_read(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: environment.own_secret(tmp_path / "state"), range(64)))
    stored = tmp_path / "state/secret-key"
    assert secrets == {stored.read_text()}
    assert list(stored.parent.iterdir()) == [stored]
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
