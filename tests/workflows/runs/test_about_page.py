"""What a document is about: its summary and its graph, as a panel and as a page."""

import json
import re

from tests.aws_faults import count_calls
from tests.factories import start_run
from tests.html import one_line
from tests.people import charlie, dora, signed_in
from workflows.runs.items import Run
from workflows.runs.run_files import files_of
from workflows.runs.views import about
from workflows.storage import files

ENTITY = {"id": "e1", "name": "Alder <b> GmbH", "type": "organisation", "mentions": 2, "role": "Company"}
PLACE = {"segment_index": 3, "qa_index": 0, "context": "bill from Alder"}


def graph(count: int = 1) -> dict[str, object]:
    others = [
        {"id": f"o{n}", "name": f"Other {n}", "type": "date", "mentions": n + 1, "mentioned_in": []}
        for n in range(count)
    ]
    edges = [{"source": "document", "target": "e1", "type": "COMPANY", "weight": 1}]
    edges += [{"source": "e1", "target": one["id"], "type": "RELATED_TO", "weight": 2} for one in others]
    return {"entities": [{**ENTITY, "mentioned_in": [PLACE]}, *others], "relations": edges}


def written(run: Run) -> None:
    summary = {"document_summary": "Pens were <sold>.", "model": "Chosen without a model"}
    store = files_of(run)
    store.write(files.SUMMARY, json.dumps(summary).encode(), "application/json")
    store.write(files.GRAPH, json.dumps(graph()).encode(), "application/json")


def url(run: Run) -> str:
    return f"/workflows/{run.document_id}/{run.workflow_id}/about/"


def test_the_page_shows_summary_drawing_and_table(table, db):
    run = start_run()
    written(run)
    signed_in(charlie()).get(url(run))  # what is personal in the project is remembered for seconds
    with count_calls() as calls:
        page = one_line(signed_in(charlie()).get(url(run)).content)
    assert calls.of_page() == ["dynamodb.GetItem", "s3.GetObject", "s3.GetObject"]
    assert "Pens were &lt;sold&gt;." in page
    assert "Chosen without a model" in page
    assert "Alder &lt;b&gt; GmbH" in page
    assert f"/workflows/{run.document_id}/{run.workflow_id}/segments/3/" in page
    assert "<svg" in page
    assert signed_in(dora()).get(url(run)).status_code == 403


def test_the_panel_of_a_run_leads_to_the_page(table, db):
    run = start_run()
    written(run)
    panel = signed_in(charlie(), htmx=True).get(url(run)).content.decode()
    assert "<html" not in panel
    assert f'href="{url(run)}"' in panel
    assert "Pens were" in panel


def test_before_the_end_there_is_nothing_yet(table, db):
    assert "appears here" in one_line(signed_in(charlie(), htmx=True).get(url(start_run())).content)
    assert "No names, dates or addresses" in one_line(signed_in(charlie()).get(url(start_run())).content)


def test_a_large_graph_draws_what_matters_most_inside_its_frame():
    found = about.draw_graph(graph(100), "bill.pdf")
    assert len(found.nodes) == about.DRAWN
    assert found.nodes[0].name == "Alder <b> GmbH"
    assert found.nodes[1].name == "Other 99"
    assert all(0 <= node.x <= about.WIDTH and 0 <= node.y <= about.HEIGHT for node in found.nodes)
    assert len(found.edges) == about.DRAWN


def test_a_long_name_is_cut_in_the_drawing_alone():
    long = graph()
    long["entities"][0]["name"] = "A very long name of a company that goes on"  # type: ignore[index]
    assert about.draw_graph(long, "bill.pdf").nodes[0].words == "A very long name of a…"


def test_on_a_phone_the_document_is_above_its_names_and_arcs_are_beside_them():
    found = about.draw_graph(graph(100), "bill.pdf").narrow
    assert [stop.title for stop in found.stops[:3]] == ["bill.pdf", "Alder <b> GmbH", "Other 99"]
    assert len(found.stops) == 1 + about.DRAWN
    assert len(found.lines) == about.DRAWN
    assert [stop.y for stop in found.stops] == sorted({stop.y for stop in found.stops})
    assert all(0 < stop.y < found.height for stop in found.stops)
    for path, _ in found.lines:
        drawn = re.fullmatch(r"M92 \d+C(-?\d+) \d+ \1 \d+ 92 \d+", path)
        assert drawn
        assert 0.75 * int(drawn[1]) + 0.25 * 92 > 0


def test_a_long_name_is_cut_on_a_phone_too():
    assert about.draw_graph(graph(), "x" * 60).narrow.stops[0].words == "x" * 26 + "…"
