"""The stages of a document's run, each a plain function of a context; their order is the definition's business."""

from workflows.stages import (
    assess,
    format_parser,
    paddleocr_processor,
    segment_analyzer,
    segment_builder,
    segment_prep,
)
from workflows.stages.base import Stage

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage("segment_prep", "Segment Prep", segment_prep.run),
        Stage("format_parser", "Format Parsing", format_parser.run),
        Stage("paddleocr_processor", "PaddleOCR Processing", paddleocr_processor.run),
        Stage("segment_builder", "Building Segments", segment_builder.run),
        Stage("segment_analyzer", "Segment Analysis", segment_analyzer.run),
        Stage("assess", "Assessment", assess.run),
    )
}
