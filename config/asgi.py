"""The ASGI application."""

import os

from django.core.asgi import get_asgi_application

from config import aws, telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

aws.be_patient(aws.WEB)
telemetry.start_telemetry()  # its middleware has to be there when the application loads the others
application = get_asgi_application()
