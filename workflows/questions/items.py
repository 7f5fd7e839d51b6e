"""What people ask about a page: rows beside its run, so that two answers never overwrite each other."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork
from config.item import map_attribute


class Question(CountedWork):
    """Access: those of a page in their order; due (GSI2, while no one has answered it).

    ``analysis_query`` and ``content``: as seed 000 names them.

    ``qa_index`` is never given twice: the page's own analysis is 0, and what is deleted leaves its row without words.
    ``generation`` counts how often it was asked. ``found``: the passage that says it, with its box (fractions of the
    page, or none) and how sure it is, 0–1 or absent.
    """

    due_entity = table.QUESTION
    segment_index = NumberAttribute()
    qa_index = NumberAttribute()
    project_id = UnicodeAttribute(null=True)  # of the run, for who finds it due
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
