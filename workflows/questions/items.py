"""Rows of questions about a page, beside those of its run, so that concurrent answers never overwrite each other."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork
from config.item import map_attribute


class Question(CountedWork):
    """Access: those of a page in order; due (GSI2, until it is answered).

    ``analysis_query`` and ``content``: names of seed 000. ``qa_index`` is never reused: the page's own analysis is 0,
    and a deleted question leaves a row without text. ``generation`` counts how often it was asked. ``found``: the
    passage with the answer, its box (fractions of the page, or none) and confidence, 0–1 or absent.
    """

    due_entity = table.QUESTION
    segment_index = NumberAttribute()
    qa_index = NumberAttribute()
    project_id = UnicodeAttribute(null=True)  # of the run, for the sweeper
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    status = UnicodeAttribute()  # a QuestionStatus
    generation = NumberAttribute()
    analysis_query = UnicodeAttribute(null=True)
    content = UnicodeAttribute(null=True)
    found = map_attribute(null=True)
    source = UnicodeAttribute(null=True)  # "local", or the model that answered
    error = UnicodeAttribute(null=True)
    asked_by = UnicodeAttribute(null=True)
    asked_at = UnicodeAttribute()
    answered_at = UnicodeAttribute(null=True)
