"""Manifests in their three forms, and a sentence for each line that nothing can be made of."""

import io
import json
import tracemalloc

import pytest

from config.errors import Refused
from tests.each import each
from workflows.batches import manifest
from workflows.batches.manifest import ManifestEntry, Rules, Wrong

RULES = Rules("bulk/acme/", "p1", {"p1": "p1", "Bills": "p1", "Letters": "p2"}, most=1000, bucket="desk")


def read(text: str | bytes, form: str, rules: Rules = RULES) -> list[manifest.Line]:
    return list(manifest.read_lines(io.BytesIO(text.encode() if isinstance(text, str) else text), form, rules))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("list", "\ufeffbulk/acme/a.pdf\r\n\nbulk/acme/b.pdf\n"),
        ("csv", "name, key ,project\n,bulk/acme/a.pdf,\n,s3://desk/bulk/acme/b.pdf,Bills\n"),
        ("json", '["bulk/acme/a.pdf", {"key": "bulk/acme/b.pdf", "project": "p1"}]'),
        ("json", '{"documents": [{"s3_key": "bulk/acme/a.pdf"}, {"Key": "bulk/acme/b.pdf"}]}'),
    ],
)
def test_every_form_says_the_same(form, text):
    a, b = ManifestEntry(1, "bulk/acme/a.pdf", "p1", "a.pdf"), ManifestEntry(2, "bulk/acme/b.pdf", "p1", "b.pdf")
    assert read(text, form) == [a, b]


@each(
    ("entry", "reason"),
    [
        ({"key": ""}, "The key is missing."),
        ({"project": "Bills"}, "The key is missing."),
        ({"key": 7}, "The key is missing."),
        (7, "Not a key or an object with a key."),
        ("bulk/globex/a.pdf", "The key is not a file under bulk/acme/."),
        ("projects/p/documents/d/d.pdf", "The key is not a file under bulk/acme/."),
        ("bulk/acme/", "The key is not a file under bulk/acme/."),
        ("s3://other/bulk/acme/a.pdf", "The file is not in Countersign's bucket. Copy it there and use its key."),
        ("bulk/acme/a\u0007.pdf", "The key contains unprintable characters."),
        ("bulk/acme/" + "a" * 1024, "The key is longer than S3 allows."),
        ({"key": "bulk/acme/a.pdf", "project": "Nobody's"}, "Project “Nobody's” does not exist."),
        ("bulk/acme/first.pdf", "Duplicate key: already listed above."),
        (
            {"key": "bulk/acme/a.pdf", "projekt": "Bills", "pri\u0007o": 1},
            "Unknown entry “projekt”, “prio”. A line has a key and optionally a project and a name.",
        ),
        (
            {"key": "bulk/acme/a.pdf", "tags": ["a"]},
            "Unknown entry “tags”. A line has a key and optionally a project and a name.",
        ),
        (
            {"key": "bulk/acme/a.pdf", "bucket": "other"},
            "The file is not in Countersign's bucket. Copy it there and use its key.",
        ),
    ],
)
def test_a_line_that_is_wrong_says_why(entry, reason):
    _, found, after = read(json.dumps(["bulk/acme/first.pdf", entry, "bulk/acme/last.pdf"]), "json")
    assert isinstance(found, Wrong)
    assert (found.number, found.reason) == (2, reason)
    assert isinstance(after, ManifestEntry)


def test_a_column_that_nothing_reads_fails_the_lines_that_fill_it():
    text = "key,projekt\nbulk/acme/a.pdf,Letters\nbulk/acme/b.pdf,\nbulk/acme/c.pdf,,\nbulk/acme/d.pdf,,more\n"
    one, two, three, four = read(text, "csv")
    assert isinstance(one, Wrong)
    assert one.reason.startswith("Unknown entry “projekt”. ")
    assert isinstance(two, ManifestEntry)
    assert isinstance(three, ManifestEntry)
    assert isinstance(four, Wrong)
    assert four.reason == "This line has more values than the header has columns."


@each(
    "text",
    [
        '{"Contents": [{"Key": "bulk/acme/a.pdf", "ETag": "x", "Size": 7, "StorageClass": "STANDARD"}], "Prefix": ""}',
        '{"documents": [{"id": "doc-1", "bucket": "desk", "key": "bulk/acme/a.pdf", "name": null}] }',
    ],
)
def test_listings_of_s3_and_of_seed_004_are_taken_as_they_are(text):
    assert read(text, "json") == [ManifestEntry(1, "bulk/acme/a.pdf", "p1", "a.pdf")]


@each(
    ("form", "text", "sentence"),
    [
        ("json", '{"a": 1}', "Not a JSON list"),
        ("json", "7", "Not a JSON list"),
        ("json", '{"lines": ["bulk/acme/a.pdf"]}', "Not a JSON list"),
        ("json", '{"documents": ["bulk/acme/a.pdf"], "project": "Letters"}', "Unexpected content after the JSON list"),
        ("json", '["bulk/acme/a.pdf"], ["bulk/acme/b.pdf"]', "Unexpected content after the JSON list"),
        ("json", "", "Not a JSON list"),
        ("json", '["bulk/acme/a.pdf", ', "is truncated"),
        ("json", "[oops]", "invalid JSON"),
        ("csv", "file,project\na,b\n", "a column named key"),
        ("csv", 'key\n"bulk', "cannot be read"),
        ("csv", "key\n" + "a" * 9000, "too long"),
        ("list", "a" * 9000, "too long"),
        ("list", b"\xff\xfe\x00a", "not UTF-8"),
        ("list", "\n".join(f"bulk/acme/{n}" for n in range(1001)), "more than 1,000 lines"),
        ("json", "[" + "[" * 30_000, "is truncated"),
    ],
)
def test_what_is_no_manifest_is_refused_with_a_sentence(form, text, sentence):
    with pytest.raises(Refused, match=sentence):
        read(text, form)


@pytest.mark.wide
def test_a_long_one_is_never_held_as_a_whole():
    count = 30_000
    body = json.dumps([{"key": f"bulk/acme/{'x' * 200}/{n}.pdf"} for n in range(count)]).encode()
    rules = Rules("bulk/acme/", "p1", {}, most=count, bucket="desk")
    stream = io.BytesIO(body)
    tracemalloc.start()
    assert sum(isinstance(line, ManifestEntry) for line in manifest.read_lines(stream, "json", rules)) == count
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(body) / 1.3  # the digests of what came before, and a chunk
