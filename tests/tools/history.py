"""The demo's past week: documents of four kinds, reviews by two people, a batch, a failed run, a prompt's versions.

Each part is made once, whatever stops it between.
"""

import datetime as dt
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from config import aws, clock
from config.errors import NotFound, Refused
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef, get_head, get_version
from projects.schemas.defaults import ensure_default_schemas
from projects.settings import actions as project_actions
from projects.settings.defaults import ensure_default_project, ensure_invoice_project
from projects.settings.items import Project
from projects.settings.values import FieldSetting, ProjectSettings
from review import queries as review_queries
from review.changes import FieldChange
from review.decide import claims, decisions
from review.decide.decisions import Verdict
from review.decide.tasks import enqueue_redeem
from review.identity import Person, ReviewRef
from review.status import Decision
from tests.tools import history_papers as papers
from tests.tools.past import Past, past
from workflows.batches import reading
from workflows.batches.reading import BatchRequest
from workflows.operations import process_files
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

SITE = DEFAULT_SITE
CONTRACTS = ProjectSettings(
    name="Contracts", description="Contracts with customers and suppliers.", classification_id="contract"
)
DELIVERIES = ProjectSettings(
    name="Delivery notes",
    description="What arrived, for which order.",
    fields=(
        FieldSetting("company", "Company", "text", required=True),
        FieldSetting("date", "Date", "date", required=True),
        FieldSetting("po_number", "PO number", "text", required=True),
    ),
)
_BATCH = "01JZHST0RY0F0N0VEMBER00001"
_IDS = uuid.UUID("0b9f3d0e-64c1-4f0b-8a3c-7d5e3f1a2b46")
_CORRECTED = "Read one page of an invoice. Leave a field null if the page does not say it.\n\n{{fields}}\n"
_SHORTER = "Record the fields of this invoice. Never invent a value.\n\n{{fields}}\n"


@dataclass(frozen=True)
class Arrival:
    """A document that came ``days`` ago. ``truth``: what its reviewer knows of the values."""

    days: int
    hour: int
    project: Project
    path: Path
    by: Actor
    reviewer: Person
    truth: Mapping[str, str] = field(default_factory=dict)
    rejected: str = ""

    @property
    def document_id(self) -> str:
        return str(uuid.uuid5(_IDS, self.path.name))


@dataclass(frozen=True)
class People:
    admin: Actor
    rosa: Person
    milo: Person

    def sender(self, person: Person) -> Actor:
        return Actor(person.id, person.name)


def write_history(folder: Path, today: dt.datetime) -> None:
    """Raises: CountersignError; again it goes on after what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    people = _people()
    with past() as then:
        then.go_to(_moment(today, 7, 8))
        for arrival in _arrivals(folder, today, people, _projects(people)):
            if not _is_there(arrival.project, arrival.document_id):
                then.go_to(_moment(today, arrival.days, arrival.hour))
                _arrive(then, arrival)
        then.go_to(_moment(today, 4, 9))
        _send_batch(then, folder, today, people)
        _write_prompts(then, today, people)


def _moment(today: dt.datetime, days: int, hour: int) -> dt.datetime:
    return (today - dt.timedelta(days=days)).replace(hour=hour, minute=12, second=0, microsecond=0)


def _people() -> People:
    found = {user.username: user for user in User.objects.filter(username__in=("admin", "rosa", "milo"))}

    def person(name: str) -> Person:
        return Person(str(found[name].pk), found[name].get_full_name())

    admin = person("admin")
    return People(Actor(admin.id, admin.name), person("rosa"), person("milo"))


def _projects(people: People) -> dict[str, Project]:
    ensure_default_schemas(SITE, by=people.admin)
    made = {
        name: project_actions.create_project(SITE, wanted, by=people.admin, project_id=f"proj_{name}")
        for name, wanted in (("contracts", CONTRACTS), ("delivery-notes", DELIVERIES))
    }
    receipts = ensure_default_project(SITE, by=people.admin)
    return {**made, "receipts": receipts, "invoices": ensure_invoice_project(SITE, by=people.admin)}


def _arrivals(folder: Path, today: dt.datetime, people: People, projects: dict[str, Project]) -> list[Arrival]:
    rosa, milo = people.rosa, people.milo

    def day(ago: int) -> dt.date:
        return (today - dt.timedelta(days=ago)).date()

    def come(days: int, hour: int, project: str, path: Path, reviewer: Person, **more: object) -> Arrival:
        sender = people.sender(milo if reviewer == rosa else rosa)  # no one decides on what they sent
        return Arrival(days, hour, projects[project], path, sender, reviewer, **more)  # type: ignore[arg-type]

    bakery = [("SOURDOUGH LOAF", 420), ("CINNAMON BUN", 285), ("FLAT WHITE", 340)]
    office = [("USB CABLE 2M", 799), ("NOTEBOOK A5", 450), ("GEL PENS X4", 625)]
    lunch = [("SOUP OF THE DAY", 690), ("GINGER BEER", 310)]
    service, supply = ("Brackenfield Studio", "Tarn Cleaning Ltd"), ("Juniper Mill Paper Ltd", "Brackenfield Studio")
    return [
        come(6, 9, "invoices", papers.invoice(
            folder / "invoice-holloway-2207.pdf", papers.HOLLOWAY, "HP-2207", day(8),
            [("Brochure A5, 16 pages, 500", 1, 41250), ("Business cards, 250", 4, 3900)]), rosa),
        come(6, 11, "receipts", papers.receipt(
            folder / "receipt-bakehouse.jpg", "THE BAKEHOUSE", "9 LANTERN STREET NORTHBRIDGE",
            at=_moment(today, 7, 8), basket=bakery, seed=41), rosa,
            truth={"company": "THE BAKEHOUSE", "date": f"{day(7)}", "total": "10.45", "currency": "GBP"}),
        come(5, 10, "contracts", papers.contract(
            folder / "contract-tarn-cleaning.pdf", "SV-0341", parties=service, kind="Service", begins=day(-20)), milo,
            truth={"company": service[0], "counterparty": service[1], "contract_number": "SV-0341",
                   "contract_type": "Service", "effective_date": f"{day(-20)}",
                   "governing_law": "England and Wales"}),
        come(5, 15, "delivery-notes", papers.delivery_note(
            folder / "delivery-fenwick-7711.pdf", papers.FENWICK, "7711", order="BS-20855", day=day(5),
            goods=[("Desk lamp, LED", 6), ("Whiteboard 120 x 90", 2)]), rosa,
            truth={"company": papers.FENWICK.name, "date": f"{day(5)}", "po_number": "BS-20855"}),
        come(3, 9, "invoices", papers.invoice(
            folder / "invoice-fenwick-5120.pdf", papers.FENWICK, "FO-5120", day(4),
            [("Desk lamp, LED", 6, 3499), ("Whiteboard 120 x 90", 2, 7950)]), milo),
        come(3, 13, "receipts", papers.receipt(
            folder / "receipt-canteen.jpg", "CANAL CANTEEN", "40 CANAL ROAD OXHAVEN", at=_moment(today, 3, 12),
            basket=lunch, seed=42), milo, rejected="Private lunch, not a business expense"),
        come(2, 10, "contracts", papers.contract(
            folder / "contract-juniper-supply.pdf", "SU-0119", parties=supply, kind="Supply", begins=day(30)), rosa,
            truth={"company": supply[0], "counterparty": supply[1], "contract_number": "SU-0119",
                   "contract_type": "Supply", "effective_date": f"{day(30)}", "governing_law": "England and Wales"}),
        come(2, 16, "receipts", _web_request(folder / "supplier-price-list.webreq"), rosa),
        come(1, 9, "delivery-notes", papers.delivery_note(
            folder / "delivery-juniper-0612.pdf", papers.JUNIPER, "0612-D", order="BS-20871", day=day(1),
            goods=[("Copier paper A4, box", 20), ("Envelopes C5, 500", 8)]), milo,
            truth={"company": papers.JUNIPER.name, "date": f"{day(1)}", "po_number": "BS-20871"}),
        come(1, 14, "receipts", papers.receipt(
            folder / "receipt-stationers.jpg", "NORTHBRIDGE STATIONERS", "22 MILL ROW NORTHBRIDGE",
            at=_moment(today, 1, 13), basket=office, seed=43), rosa,
            truth={"company": "NORTHBRIDGE STATIONERS", "date": f"{day(1)}", "total": "18.74", "currency": "GBP"}),
    ]  # fmt: skip


def _web_request(path: Path) -> Path:
    """Nothing on this machine may be fetched, so that the run fails with a sentence."""
    path.write_text(json.dumps({"url": "http://127.0.0.1/prices", "instruction": "Read the price list"}))
    return path


def _arrive(then: Past, arrival: Arrival) -> None:
    job = process_files.begin_job(SITE, arrival.project, arrival.path, by=arrival.by, document_id=arrival.document_id)
    if job.run is None:
        raise Refused(f"{arrival.path.name}: {job.error}")
    then.work()
    job = process_files.update_job(job)
    if job.run is None or not job.review_id:
        return
    then.go_on(seconds=5400)
    ref = ReviewRef(SITE, job.run.document_id, job.review_id)
    claims.claim_review(ref, job.run, by=arrival.reviewer)
    then.go_on(seconds=48)
    verdict = _verdict(ref, job.run, arrival)
    decisions.decide_review(ref, job.run, verdict, by=arrival.reviewer)
    enqueue_redeem(ref, verdict.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    then.work()


def _verdict(ref: ReviewRef, run: Run, arrival: Arrival) -> Verdict:
    """What differs from the truth is corrected, the rest confirmed."""
    review = review_queries.get_review(ref)
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    read = json.loads(store.read(files.result(run.workflow_id)))["fields"]
    wrong = [one for one in read if arrival.truth.get(one["name"], one["value"]) != one["value"]]
    wrong = [] if arrival.rejected else wrong
    right = [one for one in read if one["value"] and one not in wrong]
    return Verdict(
        decision_id=clock.new_ulid(),
        decision=Decision.REJECT if arrival.rejected else Decision.APPROVE,
        version=int(review.version),
        result_sha256=review.result_sha256,
        corrections={one["name"]: arrival.truth[one["name"]] for one in wrong},
        changes=[FieldChange(one["name"], one["label"], one["value"], arrival.truth[one["name"]]) for one in wrong],
        confirmed={} if arrival.rejected else {one["name"]: one["value"] for one in right},
        asked={one["name"]: one["label"] for one in read},
        reason=arrival.rejected,
        name=arrival.path.name,
        queue=review.queue,
    )


def _send_batch(then: Past, folder: Path, today: dt.datetime, people: People) -> None:
    """Three invoices from the bucket, and a line whose file is not there."""
    project = ensure_invoice_project(SITE, by=people.admin)
    issued = (today - dt.timedelta(days=5)).date()
    sent = [
        papers.invoice(folder / f"invoice-juniper-{number}.pdf", papers.JUNIPER, f"JM-{number}", issued, [line])
        for number, line in (
            ("0588", ("Copier paper A4, box of 5 reams", 12, 3150)),
            ("0589", ("Archive boxes, flat packed, 50", 3, 6850)),
            ("0590", ("Recycled envelopes C5, 500", 10, 4200)),
        )
    ]
    prefix = f"{files.bulk(SITE)}november/"
    for path in sent:
        aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=prefix + path.name, Body=path.read_bytes())
    lines = [{"key": prefix + path.name} for path in sent] + [{"key": f"{prefix}invoice-juniper-0591.pdf"}]
    manifest = folder / "juniper-november.json"
    manifest.write_text(json.dumps(lines))
    # The same id each time: made again, it is the one that is there.
    wish = BatchRequest(_BATCH, "Juniper Mill, November", percent=50)
    with manifest.open("rb") as body:
        reading.make_batch(SITE, project, wish, body, file_name=manifest.name, by=people.admin)
    then.work()


def _write_prompts(then: Past, today: dt.datetime, people: People) -> None:
    ref = PromptRef(SITE, ensure_invoice_project(SITE, by=people.admin).id, "extract")
    if int(get_head(ref).version) > 1:
        return
    message = get_version(ref, 1).message
    for days, text, note in ((5, _CORRECTED, "Shorter, without the description"), (2, _SHORTER, "Trial for Holloway")):
        then.go_to(_moment(today, days, 16))
        head = get_head(ref)
        prompt = Prompt("extract", text, message)
        prompt_actions.save_version(ref, prompt, based_on=int(head.version), note=note, by=people.admin)
        if days == 5:
            then.go_on(seconds=900)
            prompt_actions.move_production(
                ref, 2, expected=int(head.production), reason="As good on ten invoices, at half the tokens",
                by=people.admin,
            )  # fmt: skip


def _is_there(project: Project, document_id: str) -> bool:
    try:
        queries.project_document(SITE, project.id, document_id)
    except NotFound:
        return False
    return True
