"""Figures as runs write them: into the rollups of their day and its week."""

import datetime as dt

from pynamodb.expressions.operand import Path

from config.transaction import Update, transact
from workflows.insight.actions import Span
from workflows.insight.figures import monday_of
from workflows.insight.items import Rollup
from workflows.insight.queries import Scope


def add_figures(scope: Scope, day: dt.date, **numbers: int) -> None:
    adds = [Path([name]).add(number) for name, number in numbers.items()]
    week = scope.key(monday_of(day), Span.WEEK)
    transact([Update(key, adds, of=Rollup) for key in (scope.key(day), week)])
