"""The page of deploying against what there is: commands, settings, roles, alarms, and the units behind its prices."""

import re
from pathlib import Path

from django.conf import settings

from tests.config import parsed

ROOT = Path(settings.BASE_DIR)
PAGE = (ROOT / "docs/deploy.md").read_text()


def names(kind: str, attribute: str) -> set[str]:
    return {one[attribute]["Sub"].removeprefix("${AWS::StackName}-") for one in parsed.resources(kind).values()}


def test_it_stays_short() -> None:
    assert len(PAGE.splitlines()) <= 150


def test_every_command_of_it_is_one_of_ours_or_of_django() -> None:
    ours = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
    told = set(re.findall(r"(?:^    |`)desk ([a-z_]+)", PAGE, re.MULTILINE))
    assert {"bootstrap", "migrate", "createsuperuser"} <= told <= ours | {"migrate", "createsuperuser"}


def test_every_setting_of_it_is_on_the_page_of_settings() -> None:
    known = (ROOT / "docs/settings.md").read_text()
    assert [name for name in set(re.findall(r"COUNTERSIGN_\w+", PAGE)) if f"| `{name}` |" not in known] == []


def test_it_says_what_each_alarm_asks_for() -> None:
    told = set(re.findall(r"`([a-z-]+)`", PAGE.partition("| alarm |")[2].partition("\n\n")[0]))
    alarms = {name for name in names("CloudWatch::Alarm", "AlarmName") if not name.endswith("-dead")}
    assert alarms <= told


def test_it_names_the_roles_of_people_and_processes() -> None:
    told = set(re.findall(r"^\| `<stack>-(\w+)`", PAGE, re.MULTILINE))
    assert told <= names("IAM::Role", "RoleName")
    assert {"web", "worker", "machines", "deployer"} == told


def test_its_parameters_are_those_of_the_services() -> None:
    there = (ROOT / "config/deploy/services.yaml").read_text().partition("Parameters:")[2].partition("Conditions:")[0]
    known = set(re.findall(r"^  (\w+):", there, re.MULTILINE))
    block = PAGE.partition("--parameter-overrides")[2].partition("\n\n")[0]
    assert set(re.findall(r"(\w+)=", block)) <= known
    assert {"EnvironmentFile", "MailPasswordSecret", "StepsMost"} <= known


def test_the_write_units_of_a_thousand_documents_are_about_those_that_are_measured() -> None:
    costs = (ROOT / "docs/costs.md").read_text()
    units = {name: float(found) for name, found in re.findall(r"^\| (.*?) \| \d+ \| ([\d.]+) \|", costs, re.MULTILINE)}
    steps, pages = 7, 3
    each = units["create a run"] + units["end a run"] + pages
    each += steps * units["claim a step"] + (steps - 3) * units["advance a step"] + 2 * units["advance to OCR"]
    reviewed = ("open a review, its event sent, the engine unanswered", "claim a review", "begin a draft", "decide")
    review = (
        sum(units[name] for name in (*reviewed, "redeem", "apply, the engine answered")) + 4 * units["save a draft"]
    )
    told = float(re.findall(r"([\d,]+) write units", PAGE)[0].replace(",", ""))
    assert abs(told - (1000 * each + 300 * review)) / told < 0.25
