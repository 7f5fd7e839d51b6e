"""A table and a bucket as the seed-000 system leaves them (CONTRACTS.md), written without a line of ours.

Keys, names and shapes are literal here on purpose: built by our own modules, they would follow our mistakes.
"""

import json
import random
import string
import uuid
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.types import TypeSerializer
from django.conf import settings

from config import aws
from tests.compat import shapes
from tests.compat.shapes import DOCX, MP4, PDF, PNG, WEB, Document, iso, picture

_ALPHABET = string.ascii_letters + string.digits + "_-"
_EXTENSIONS = {PDF: "pdf", PNG: "png", MP4: "mp4", DOCX: "docx", WEB: "webreq"}
_TOOLS = {"ocr": "paddleocr_processor", "bda": "bda_processor", "transcribe": "transcribe", "webcrawler": "webcrawler"}


@dataclass
class Seed000:
    """Writes rows and objects; ``documents`` by the word that tells their state."""

    table: str
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    project_id: str = ""
    documents: dict[str, Document] = field(default_factory=dict)

    def nanoid(self, head: str) -> str:
        return head + "".join(self.chance.choice(_ALPHABET) for _ in range(21))

    def put(self, item: dict[str, Any]) -> None:
        stored = {name: TypeSerializer().serialize(value) for name, value in item.items()}
        aws.dynamodb_client().put_item(TableName=self.table, Item=stored)

    def write(self, key: str, body: bytes | str | dict[str, Any], content_type: str = "application/json") -> str:
        body = json.dumps(body, ensure_ascii=False) if isinstance(body, dict) else body
        aws.aws_client("s3").put_object(
            Bucket=settings.BUCKET_NAME,
            Key=key,
            Body=body.encode() if isinstance(body, str) else body,
            ContentType=content_type,
        )
        return f"s3://{settings.BUCKET_NAME}/{key}"

    def root(self, document_id: str) -> str:
        return f"projects/{self.project_id}/documents/{document_id}/"

    # --- the table ----------------------------------------------------------
    def project(self) -> None:
        self.project_id = self.nanoid("proj_")
        data = {
            "project_id": self.project_id,
            "name": "Handbücher & Verträge",
            "description": "Manuals of the older desk",
            "status": "active",
            "created_by": "3f2c-cognito-sub",
            "language": "ko",
            "color": 3,
            "document_prompt": "Answer in Korean.",
            "ocr_model": "paddleocr-vl",
            "ocr_options": {"lang": "korean", "use_doc_orientation_classify": True},
        }
        self.put(
            {
                "PK": f"PROJ#{self.project_id}",
                "SK": "META",
                "GSI1PK": "PROJECTS",
                "GSI1SK": iso(0),
                "data": data,
                "created_at": iso(0),
                "updated_at": iso(0),
            }
        )

    def document(self, word: str, name: str, mime: str, status: str, *, pages: int = 0, run: str | None = None) -> None:
        document_id = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        workflow_id = self.nanoid("wf_") if run else None
        made = Document(name, mime, status, document_id, workflow_id, pages)
        self.documents[word] = made
        changed = iso(10 + len(self.documents))
        data = {
            "document_id": document_id,
            "project_id": self.project_id,
            "name": name,
            "file_type": mime,
            "file_size": 40_000 + pages,
            "status": status,
            "s3_key": f"{self.root(document_id)}{document_id}.{_EXTENSIONS[mime]}",
            "use_bda": False,
            "use_ocr": None,
            "use_transcribe": mime == MP4,
            "ocr_model": None,
            "ocr_options": None,
            "document_prompt": None,
            "language": None,
        }
        if mime == WEB:
            data |= {"source_url": "https://example.com/shop", "crawl_instruction": "Read the opening hours."}
        self.put(
            {
                "PK": f"PROJ#{self.project_id}",
                "SK": f"DOC#{document_id}",
                "GSI1PK": f"PROJ#{self.project_id}#DOC",
                "GSI1SK": changed,
                "data": data,
                "created_at": iso(5),
                "updated_at": changed,
            }
        )
        if run:
            self.workflow(made, run)

    def workflow(self, document: Document, run: str) -> None:
        """``run``: completed, analyzing, ocr_failed, reanalyzing, pending, or stuck: failed and still called busy."""
        steps = shapes.steps(document, run)
        ocr = steps["paddleocr_processor"]["status"]
        head = "WEB" if document.mime == WEB else "DOC"
        status = {"analyzing": "in_progress", "ocr_failed": "failed", "stuck": "failed"}.get(run, run)
        data = {
            "project_id": self.project_id,
            "file_uri": f"s3://{settings.BUCKET_NAME}/{self.root(document.document_id)}"
            f"{document.document_id}.{_EXTENSIONS[document.mime]}",
            "file_name": f"{document.document_id}.{_EXTENSIONS[document.mime]}",  # the object's, not the document's
            "file_type": document.mime,
            "execution_arn": "arn:aws:states:us-east-1:123456789012:execution:idp:" + str(document.workflow_id),
            "status": status,
            "language": "ko",
            "total_segments": document.pages if run in {"completed", "analyzing", "reanalyzing"} else 0,
            "preprocess": {
                tool: shapes.preprocess(step, "processing" if ocr == "in_progress" else steps[step]["status"])
                for tool, step in _TOOLS.items()
            },
        }
        if run == "stuck":
            data["error"] = "States.Timeout after 24 h"
        if run == "ocr_failed":
            data["error"] = "OCR failed for 1 of 2 chunks"
        self.put(
            {
                "PK": f"{head}#{document.document_id}",
                "SK": f"WF#{document.workflow_id}",
                "data": data,
                "created_at": iso(6),
                "updated_at": iso(30),
            }
        )
        analyzer = steps["segment_analyzer"]["status"]
        current = {"completed": "document_summarizer", "ocr_failed": "paddleocr_processor"}.get(run, "segment_analyzer")
        self.put(
            {
                "PK": f"WF#{document.workflow_id}",
                "SK": "STEP",
                "GSI1PK": "STEP#ANALYSIS_STATUS",
                "GSI1SK": analyzer,
                "data": {
                    "project_id": self.project_id,
                    "document_id": document.document_id,
                    "current_step": "" if run == "pending" else current,
                    **steps,
                },
                "created_at": iso(6),
                "updated_at": iso(29),
            }
        )

    def others(self) -> None:
        """Rows that no page of ours shows, and that none may trip over."""
        art = self.nanoid("art_")
        user = "3f2c-cognito-sub"
        self.put(
            {
                "PK": f"ART#{art}",
                "SK": "META",
                "GSI1PK": f"USR#{user}#ART",
                "GSI1SK": iso(40),
                "GSI2PK": f"USR#{user}#PROJ#{self.project_id}#ART",
                "GSI2SK": iso(40),
                "artifact_id": art,
                "data": {"content_type": "text/html", "filename": "report.html", "user_id": user},
                "created_at": iso(40),
                "updated_at": iso(40),
            }
        )
        self.put({"PK": f"USERSUB#{user}", "SK": "META", "data": {}, "created_at": iso(0), "updated_at": iso(0)})

    # --- the bucket ---------------------------------------------------------
    def files(self, word: str, *, built: bool) -> None:
        """Original, page images, and the artifacts of a PDF; ``built``: segments are merged and analysed."""
        document = self.documents[word]
        root = self.root(document.document_id)
        self.write(f"{root}{document.document_id}.pdf", b"%PDF-1.4 of another desk", PDF)
        segments = [
            {"segment_index": i, "image_uri": self._image(root, i), "width": 40, "height": 60}
            for i in range(document.pages)
        ]
        self.write(
            f"{root}preprocessed/metadata.json",
            {"segments": segments, "segment_count": document.pages, "file_uri": "", "file_type": PDF},
        )
        pages = [{"page_index": i, "text": f"Layer of page {i + 1}"} for i in range(document.pages)]
        self.write(f"{root}format-parser/result.json", {"pages": pages})
        self.write(f"{root}paddleocr/result.json", shapes.ocr(document.pages))
        for i in range(document.pages):
            self.write(f"{root}analysis/segment_{i:04d}.json", shapes.segment(segments[i], built=built))
        if built:
            self.write(f"{root}analysis/summary.json", shapes.summary(document.pages))

    def _image(self, root: str, index: int) -> str:
        return self.write(f"{root}preprocessed/page_{index:04d}.png", picture(), "image/png")

    def picture_files(self, word: str) -> None:
        """An image document: its page is the original itself."""
        document = self.documents[word]
        root = self.root(document.document_id)
        uri = self.write(f"{root}{document.document_id}.png", picture(), PNG)
        segment = shapes.segment({"segment_index": 0, "image_uri": uri, "width": 40, "height": 60}, built=True)
        self.write(f"{root}analysis/segment_0000.json", segment)
        self.write(f"{root}analysis/summary.json", shapes.summary(1))

    def video_files(self, word: str) -> None:
        document = self.documents[word]
        root = self.root(document.document_id)
        self.write(f"{root}{document.document_id}.mp4", b"not really a film", MP4)
        for i in range(document.pages):
            chapter = shapes.blank_segment(i) | {
                "segment_type": "CHAPTER",
                "status": "completed",
                "start_timecode_smpte": f"00:0{i}:00:00",
                "end_timecode_smpte": f"00:0{i}:59:24",
                "transcribe_segments": [{"id": 0, "transcript": f"Hello in {i}", "start_time": 1.5, "end_time": 3}],
                "ai_analysis": [{"analysis_query": f"Chapter {i + 1} Analysis", "content": "Somebody speaks."}],
            }
            self.write(f"{root}analysis/segment_{i:04d}.json", chapter)

    def web_files(self, word: str) -> None:
        document = self.documents[word]
        root = self.root(document.document_id)
        url = {"url": "https://example.com/shop", "instruction": "Read the opening hours."}
        self.write(f"{root}{document.document_id}.webreq", url, WEB)
        page = shapes.blank_segment(0) | {
            "segment_type": "WEB",
            "status": "completed",
            "webcrawler_content": "Open from 9 to 17.",
            "source_url": url["url"],
            "page_title": "Our shop",
        }
        self.write(f"{root}analysis/segment_0000.json", page)
        self.write(f"{root}analysis/summary.json", shapes.summary(1))


def written(table: str) -> Seed000:
    """Everything: a project with a document in each state that system knows."""
    seed = Seed000(table)
    seed.project()
    seed.document("completed", "Pumpe Handbuch 펌프.pdf", PDF, "completed", pages=3, run="completed")
    seed.document("analyzing", "Under analysis.pdf", PDF, "in_progress", pages=2, run="analyzing")
    seed.document("failed", "Broken scan.pdf", PDF, "failed", pages=2, run="ocr_failed")
    seed.document("reanalyzing", "Once more.docx", DOCX, "reanalyzing", pages=1, run="reanalyzing")
    seed.document("picture", "Photo.png", PNG, "completed", pages=1, run="completed")
    seed.document("video", "Film.mp4", MP4, "completed", pages=2, run="completed")
    seed.document("web", "example.com", WEB, "completed", pages=1, run="completed")
    seed.document("pending", "Waits.pdf", PDF, "in_progress", run="pending")
    seed.document("stuck", "Stopped in the middle.pdf", PDF, "failed", pages=1, run="stuck")
    seed.document("uploading", "Half there.pdf", PDF, "uploading")
    seed.others()
    seed.files("completed", built=True)
    seed.files("analyzing", built=False)
    seed.picture_files("picture")
    seed.video_files("video")
    seed.web_files("web")
    return seed
