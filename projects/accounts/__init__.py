"""Accounts beyond a password: single sign-on, second factors, passkeys, sessions, password reset."""
