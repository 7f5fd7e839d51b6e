"""Accounts: single sign-on, second factors, passkeys, sessions, password reset, people of a site."""
