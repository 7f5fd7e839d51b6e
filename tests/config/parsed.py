"""The template as data: ``!Ref X`` reads as ``{"Ref": "X"}``, ``!GetAtt X.Arn`` as ``{"GetAtt": "X.Arn"}``."""

import functools
from typing import Any

import yaml

from config.deploy import template


class Loader(yaml.SafeLoader):
    pass


def _short_form(loader: Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        return {name: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    return {name: loader.construct_mapping(node, deep=True)}  # type: ignore[arg-type]


Loader.add_multi_constructor("!", _short_form)


@functools.cache
def laid() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(template.template_body(), Loader)
    return found


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Logical name to properties, of one type such as ``SQS::Queue``."""
    return {
        name: resource.get("Properties", {})
        for name, resource in laid()["Resources"].items()
        if resource["Type"] == f"AWS::{kind}"
    }


def plain(value: Any) -> Any:
    """Without conditions: what holds where each of them does, and nothing where that is no value."""
    if isinstance(value, dict):
        if set(value) == {"If"}:
            return plain(value["If"][1])
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value
