"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

from config import aws, telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

aws.be_patient(aws.WEB)
application = get_wsgi_application()
telemetry.start_telemetry()
