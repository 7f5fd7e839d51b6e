"""Models are added, changed and removed: each with its event, one of two wins, and no circle of takeovers is closed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from config.errors import Conflict, NotFound, Refused, Unavailable
from config.table import ENTITY_EVENT
from projects.audit.items import EntityEvent
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.queries import get_entry, get_model
from tests.aws_faults import audit_refused, count_calls
from tests.projects.models.catalogue import ADA, BEN, SPEC, add_model

SITE = "default"
pytestmark = pytest.mark.usefixtures("table")


def events(model_id: str) -> list[tuple[str, str]]:
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="model", entity_id=model_id)
    return [(one.type, one.userId) for one in EntityEvent.page(pk, consistent=True).rows]


def change(spec, *, version=1, by=ADA, **changes):
    model_actions.update_model(SITE, replace(spec, **changes), version=version, by=by)


def test_the_catalogue_lists_built_in_models_first_in_one_query():
    add_model("zebra", name="Alpha")
    add_model("ape", name="Zulu")
    add_model("ape", site="acme")
    with count_calls() as calls:
        found = model_queries.list_models(SITE)
    assert [one.id for one in found] == ["bedrock", "bedrock-strong", "embedded", "zebra", "ape"]
    assert calls.names() == ["dynamodb.Query"]


def test_built_in_bedrock_models_have_the_prices_of_the_desk(settings: Any):
    settings.PRICES = {"bedrock": {"*nova-lite*": {"million_in": 0.06, "million_out": 0.24}}}
    settings.BEDROCK_MODEL, settings.BEDROCK_STRONG_MODEL = "eu.amazon.nova-lite-v1:0", "other"
    first, strong = get_model(SITE, "bedrock"), get_model(SITE, "bedrock-strong")
    assert (str(first.price_in), str(first.price_out), first.takeover) == ("0.06", "0.24", "bedrock-strong")
    assert (strong.has_price, strong.takeover) == (False, "")


def test_a_model_that_was_added_is_read_back():
    spec = add_model("local", images=True, context=2048)
    assert get_model(SITE, "local") == spec
    assert events("local") == [("created", "1")]


@pytest.mark.parametrize("model_id", ["", "Ä", "a#b", "-a", "x" * 41, "A"])
def test_an_id_is_made_of_what_addresses_and_keys_can_hold(model_id: str):
    with pytest.raises(Refused, match="lowercase"):
        model_actions.create_model(SITE, replace(SPEC, id=model_id), by=ADA)


@pytest.mark.parametrize("model_id", ["local", "embedded"])
def test_an_id_is_taken_once(model_id: str):
    spec = add_model("local")
    with pytest.raises(Conflict, match=model_id):
        model_actions.create_model(SITE, replace(spec, id=model_id, name="Second"), by=BEN)
    assert get_model(SITE, "local") == spec


def test_of_two_admins_who_change_a_model_the_second_is_told():
    spec = add_model()
    change(spec, name="First")
    with pytest.raises(Conflict, match="Ada Admin changed this model"):
        change(spec, name="Second", by=BEN)
    assert (get_model(SITE, "local").name, get_entry(SITE, "local").version) == ("First", 2)
    assert events("local") == [("created", "1"), ("updated", "1")]


def test_saving_what_is_there_writes_nothing():
    change(add_model())
    assert get_entry(SITE, "local").version == 1


def test_a_change_without_its_event_is_not_made():
    spec = add_model()
    with audit_refused(), pytest.raises(Unavailable):
        change(spec, name="Other")
    assert get_model(SITE, "local") == spec


def test_built_in_models_are_neither_changed_nor_removed():
    with pytest.raises(Refused, match="Copy"):
        change(get_model(SITE, "embedded"), version=0, name="Mine")
    with pytest.raises(Refused, match="Copy"):
        model_actions.remove_model(SITE, "embedded", version=0, by=ADA)


def test_models_do_not_take_over_from_each_other_in_a_circle():
    first = add_model("a", takeover="bedrock")
    add_model("b", takeover="a")
    add_model("c", takeover="b")
    for circle in ("a", "c"):
        with pytest.raises(Refused, match="circle"):
            change(first, takeover=circle)
    with pytest.raises(Refused, match="no longer in the catalogue"):
        change(first, takeover="gone")


def test_two_saves_at_once_close_no_circle():
    first, second = add_model("a"), add_model("b")

    def hand_over(spec, to):
        try:
            change(spec, takeover=to)
        except (Conflict, Refused):
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(hand_over, (first, second), ("b", "a")))
    assert sum(done) <= 1
    assert [get_model(SITE, one).takeover for one in ("a", "b")].count("") >= 1


def test_a_model_that_another_changed_is_not_removed():
    change(add_model(), name="Changed")
    with pytest.raises(Conflict, match="Ada Admin"):
        model_actions.remove_model(SITE, "local", version=1, by=BEN)
    model_actions.remove_model(SITE, "local", version=2, by=BEN)
    with pytest.raises(NotFound):
        get_model(SITE, "local")
    assert events("local")[-1] == ("removed", "2")


def test_a_model_that_another_hands_over_to_is_not_removed():
    add_model("strong")
    add_model("cheap", takeover="strong", name="Cheap one")
    with pytest.raises(Refused, match="In use by Cheap one"):
        model_actions.remove_model(SITE, "strong", version=1, by=ADA)
