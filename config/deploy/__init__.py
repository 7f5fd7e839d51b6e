"""Deployment to AWS: the CloudFormation template and the work of ``manage.py bootstrap``."""
