"""The rules, the dashboards and the page of monitoring name metrics that there are, and the page names all of them."""

import json
import re

import pytest
import yaml
from django.conf import settings

from workflows.operations.metrics import EVERY_METRIC

FOLDER = settings.BASE_DIR / "docs/monitoring"
PAGE = (settings.BASE_DIR / "docs/monitoring.md").read_text()
NAMES = {one.name for one in EVERY_METRIC}
READY = ("alerts.yaml", "grafana.json", "cloudwatch.json")


def named(text):
    """Without what Prometheus adds to a histogram's name."""
    return {name.removesuffix("_bucket") for name in re.findall(r"countersign_[a-z_]+", text)}


@pytest.mark.parametrize("name", READY)
def test_every_metric_that_a_ready_file_names_exists(name):
    found = named((FOLDER / name).read_text())
    assert found
    assert found <= NAMES


def test_the_dashboards_show_every_metric_that_a_rule_watches():
    watched = named((FOLDER / "alerts.yaml").read_text())
    assert watched <= named((FOLDER / "grafana.json").read_text())


def test_labels_of_the_rules_are_those_of_the_metrics():
    labels = {one.name: {*one.labels, "le"} for one in EVERY_METRIC}
    for text in ((FOLDER / "alerts.yaml").read_text(), (FOLDER / "grafana.json").read_text()):
        for name, asked in re.findall(r"(countersign_[a-z_]+?)(?:_bucket)?\{(\w+)=", text.replace("\\", "")):
            assert asked in labels[name], name


def test_a_rule_says_how_bad_it_is_and_what_to_do():
    rules = [
        rule for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"] for rule in group["rules"]
    ]
    for rule in rules:
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert {"summary", "action"} == set(rule["annotations"])
    assert len({rule["alert"] for rule in rules}) == len(rules)


def test_the_dashboards_are_whole():
    panels = json.loads((FOLDER / "grafana.json").read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["targets"] for panel in panels if panel["type"] != "row")
    for widget in json.loads((FOLDER / "cloudwatch.json").read_text())["widgets"]:
        assert widget["properties"]["metrics"]
        assert widget["x"] + widget["width"] <= 24


def test_the_page_lists_every_metric_with_its_labels():
    rows = dict(re.findall(r"^\| `(countersign_\w+)` \| \w+ \| ([^|]+) \|", PAGE, re.MULTILINE))
    assert rows == {one.name: ", ".join(one.labels) or "–" for one in EVERY_METRIC}
