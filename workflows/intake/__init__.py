"""Intake: files from uploads, the bucket, emails and archives are inspected and stored, and their run is planned."""
