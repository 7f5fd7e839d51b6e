"""The row of an external service's circuit breaker."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class ProviderState(Item):
    """Closed while ``open_until`` is absent; half open once it has passed. Access: by provider; all of them."""

    provider = UnicodeAttribute()
    failures = NumberAttribute(default=0)  # consecutive
    message = UnicodeAttribute(null=True)  # the last error's name, without any content
    failed_at = UnicodeAttribute(null=True)
    refused_at = UnicodeAttribute(null=True)  # when it denied access, which retries would not change
    worked_at = UnicodeAttribute(null=True)  # approximate time of the last successful call
    openings = NumberAttribute(default=0)  # since its last success: each pause is twice the previous one
    opened_at = UnicodeAttribute(null=True)
    open_until = UnicodeAttribute(null=True)
    probe_until = UnicodeAttribute(null=True)  # until when a caller is probing
