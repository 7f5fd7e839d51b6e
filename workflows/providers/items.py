"""How an outside service answers, as all workers together see it: the circuit breaker's row."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class ProviderState(Item):
    """Closed while ``open_until`` is absent; half open once it has passed. Access: by provider; all of them."""

    provider = UnicodeAttribute()
    failures = NumberAttribute(default=0)  # in a row
    message = UnicodeAttribute(null=True)  # the last error's name, never what it was about
    failed_at = UnicodeAttribute(null=True)
    refused_at = UnicodeAttribute(null=True)  # it does not let us use it, and trying again would not help
    worked_at = UnicodeAttribute(null=True)  # about when a call last went through
    openings = NumberAttribute(default=0)  # since it last worked: each pause is twice the one before
    opened_at = UnicodeAttribute(null=True)
    open_until = UnicodeAttribute(null=True)
    probe_until = UnicodeAttribute(null=True)  # someone tries whether it works again
