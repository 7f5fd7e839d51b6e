"""The ten steps of the seed-000 system. Its runs are shown with them; none is executed here."""

from workflows.definitions.blueprint import Definition, StepDefinition

LABELS = {
    "segment_prep": "Segment Prep",
    "bda_processor": "BDA Processing",
    "format_parser": "Format Parsing",
    "paddleocr_processor": "PaddleOCR Processing",
    "transcribe": "Transcription",
    "webcrawler": "Web Crawling",
    "segment_builder": "Building Segments",
    "segment_analyzer": "Segment Analysis",
    "graph_builder": "Building Knowledge Graph",
    "document_summarizer": "Document Summary",
}
TEN_STEPS = Definition(
    name="seed-000",
    version=0,
    description="The ten steps of the seed-000 system.",
    steps=tuple(StepDefinition(i, name, label, "stage") for i, (name, label) in enumerate(LABELS.items(), 1)),
)
