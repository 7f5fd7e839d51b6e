"""Notifications about reviews: preferences, inbox, mails, chat messages."""
