# One image for web, workers and beat; the command says which. docs/deploy.md tells how it is built and run.
# Pin the base by its digest where you build: --build-arg PYTHON=python:3.11-slim-bookworm@sha256:…
ARG PYTHON=python:3.11-slim-bookworm

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /srv/countersign
COPY runtime.lock ./
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --require-hashes -r runtime.lock
COPY . .
# A word instead of a secret, for this build only: without one, a secret of its own would be left in the image.
RUN SECRET_KEY=build COUNTERSIGN_STATE_DIR=/var/lib/countersign /opt/venv/bin/python manage.py collectstatic --noinput \
    && /opt/venv/bin/python -m compileall -q config projects workflows review

FROM ${PYTHON}
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    COUNTERSIGN_ENV=aws \
    COUNTERSIGN_STATE_DIR=/var/lib/countersign
RUN groupadd --system --gid 10001 desk \
    && useradd --system --uid 10001 --gid desk --home-dir /var/lib/countersign --shell /usr/sbin/nologin desk
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv/countersign /srv/countersign
COPY --from=build --chown=desk:desk /var/lib/countersign /var/lib/countersign
WORKDIR /srv/countersign
USER 10001:10001
EXPOSE 8000
# Of the web process; a worker that dies ends its container, and so does one that stands still (docs/brokers.md).
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# web, worker-steps, worker-slices, worker-desk, worker-sweep, worker-experiments, worker-search or beat; "manage.py bootstrap" and "manage.py migrate" in its place.
ENTRYPOINT ["python", "manage.py"]
CMD ["start", "web"]
