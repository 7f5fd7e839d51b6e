"""What a firm is in law, as its name ends."""

import re

LEGAL = re.compile(
    r"\b(sdn\.?\s*bhd|[s5]dn|bhd|s/b|ltd|limited|gmbh|ag|kg|ohg|ug|inc|llc|llp|corp(oration)?|co|company|plc|pte|pvt|"
    r"s\.?a\.?r\.?l|s\.?r\.?l|s\.?p\.?a|s\.?a|s\.?l|b\.?v|n\.?v|a/s|aps|oy|ab|e\.\s?k|pty)\b\.?(?=[\s,;:()\[]|$)",
    re.IGNORECASE,
)


def is_firm(text: str) -> bool:
    """Whether the line is a firm's name: it ends with a legal form, and no number is in it."""
    ends = [form.end() for form in LEGAL.finditer(text)]
    return bool(ends) and not text[ends[-1] :].strip(" .,;:()") and not any(map(str.isdigit, text))
