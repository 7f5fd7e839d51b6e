"""The ASGI application."""

import os

from django.core.asgi import get_asgi_application

from config import aws, telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

aws.be_patient(aws.WEB)
application = get_asgi_application()
telemetry.start_telemetry()
