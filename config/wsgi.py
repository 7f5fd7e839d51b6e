"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

from config import aws, telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

aws.be_patient(aws.WEB)
telemetry.start_telemetry()  # its middleware has to be there when the application loads the others
application = get_wsgi_application()
