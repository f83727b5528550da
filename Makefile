# Poolbench: `make demo` and `make test` do all the setup; nothing else is needed first.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PY := .venv/bin/python

.PHONY: demo run quick test test-all check bench docs constraints messages clean

demo: .venv/.main  ## build the demo campaign and serve it (ARGS=--no-serve: tables only)
	POOLBENCH_VAR=var/demo $(PY) manage.py demo $(ARGS)

run: .venv/.main  ## run your own installation: web server and worker
	$(PY) manage.py migrate -v 0
	$(PY) manage.py serve $(ARGS)

# Python files are compiled once, not by every process that a test starts.
unexport PYTHONDONTWRITEBYTECODE

# Tests also wait for browsers and servers: one process more than cores, at most 4.
PROCESSES := $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 4 ? n + 1 : 4)))
PYTEST := $(PY) -m pytest -n $(PROCESSES) --dist worksteal

quick: .venv/.dev  ## a minute of the tests of what has changed since main (tests/changed.py)
	$(PYTEST) -m "not browser and not service" $(ARGS) $$($(PY) -m tests.changed)

test: .venv/.dev  ## the test suite, large tests in part
	$(PYTEST) $(ARGS)

# All sizes, schemes, examples and families; on PostgreSQL too where DATABASE_URL names one.
test-all: export POOLBENCH_TEST_EXAMPLES = all
test-all: .venv/.dev  ## the whole test suite: before a release, and at night
	env -u DATABASE_URL $(PYTEST) -m "not postgresql" $(ARGS)
	case "$$DATABASE_URL" in postgres*) $(PYTEST) -m "engine or postgresql" $(ARGS);; esac

check: .venv/.dev  ## formatting, lint, types, import contracts, templates, migrations, API schema
	.venv/bin/ruff check . && .venv/bin/ruff format --check .
	.venv/bin/lint-imports && .venv/bin/mypy .
	.venv/bin/djangofmt --check --line-length 120 --indent-width 2 --custom-blocks sentence,empty_state,title,fact,stat,table,heads templates
	$(PY) manage.py makemigrations --check --dry-run && $(PY) manage.py check
	$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null

bench: .venv/.dev  ## reproduce the figures in README
	$(PY) benchmarks/campaign.py
	$(PY) benchmarks/evaluate.py
	$(PY) benchmarks/pooling.py

docs: .venv/.main  ## fill the marked blocks of the documentation pages
	$(PY) -m workbench.docs

constraints:  ## update the pinned versions of all packages
	$(PYTHON) -m venv var/uv && var/uv/bin/pip install -q uv
	var/uv/bin/uv pip compile --upgrade --python-version 3.11 --no-header --no-emit-index-url \
		--no-annotate pyproject.toml --extra dev -o constraints.txt

messages:  ## extract texts for translation and compile the catalogs (needs GNU gettext)
	$(PY) manage.py makemessages --all --no-wrap --no-obsolete --add-location file \
		--ignore .venv --ignore var
	$(PY) manage.py compilemessages --ignore .venv

clean:
	rm -rf .venv var

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.main: .venv/bin/python pyproject.toml constraints.txt
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[server]"
	touch $@

.venv/.dev: .venv/bin/python pyproject.toml constraints.txt
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@ .venv/.main
