"""The registry of stages by name; a definition determines their order."""

import functools

from workflows.stages import (
    assess,
    bda_processor,
    document_summarizer,
    format_parser,
    graph_builder,
    paddleocr_processor,
    segment_analyzer,
    segment_builder,
    segment_prep,
    slices,
    transcribe,
    webcrawler,
)
from workflows.stages.base import Job, Slicing, Stage


def _slice_stage(
    name: str, label: str, slicing: Slicing, *, reads_original: bool = False, job: Job | None = None
) -> Stage:
    return Stage(name, label, functools.partial(slices.run_all, slicing), slicing, reads_original, job)


STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        _slice_stage("segment_prep", "Segment Prep", segment_prep.SLICING, reads_original=True),
        _slice_stage("format_parser", "Format Parsing", format_parser.SLICING, reads_original=True),
        _slice_stage(
            "paddleocr_processor", "PaddleOCR Processing", paddleocr_processor.SLICING, job=paddleocr_processor.JOB
        ),
        Stage("bda_processor", "BDA Processing", bda_processor.run, job=bda_processor.JOB),
        _slice_stage("transcribe", "Transcription", transcribe.SLICING, reads_original=True, job=transcribe.JOB),
        Stage("webcrawler", "Web Crawling", webcrawler.run, reads_original=True),
        _slice_stage("segment_builder", "Building Segments", segment_builder.SLICING),
        _slice_stage("segment_analyzer", "Segment Analysis", segment_analyzer.SLICING),
        Stage("assess", "Assessment", assess.run),
        _slice_stage("graph_builder", "Building Knowledge Graph", graph_builder.SLICING),
        _slice_stage("document_summarizer", "Document Summary", document_summarizer.SLICING),
    )
}
