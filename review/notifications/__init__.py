"""Mails to people about reviews: what each of them chose, what is to be sent, and sending it."""
