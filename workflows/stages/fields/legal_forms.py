"""Legal forms of companies, as names end with them."""

import re

LEGAL = re.compile(
    r"\b(sdn\.?\s*bhd|[s5]dn|bhd|s/b|ltd|limited|gmbh|ag|kg|ohg|ug|inc|llc|llp|corp(oration)?|co|company|plc|pte|pvt|"
    r"s\.?a\.?r\.?l|s\.?r\.?l|s\.?p\.?a|s\.?a|s\.?l|b\.?v|n\.?v|a/s|aps|oy|ab|e\.\s?k|pty|"
    r"s\.?\s?a\.?\s?s|s\.\s?r\.\s?o|v\.\s?o\.\s?s|a\.\s?s|sp\.?\s?z\s?o\.?\s?o|d\.\s?o\.\s?o|d\.\s?d|kft|zrt|nyrt|oyj|asa|kgaa|mbh|"
    r"ltda|limitada|lda|eireli|s\.?\s?de\s?r\.?\s?l|s\.\s?c|e\.?o\.?o\.?d|sasu|eurl|sprl|bvba|tbk|ltd\.?\s?şti|a\.\s?ş|uab|sia|oü|"
    r"pjsc|ojsc|jsc|fzc|fze|wll|w\.l\.l|k\.k|s\.\s?a\.\s?c|e\.?\s?i\.?\s?r\.?\s?l|s\.\s?p\.\s?r\.\s?l|s\.\s?a\.\s?p\.\s?i|"
    r"s\.\s?c\.\s?r\.\s?l|s\.\s?n\.\s?c|j\.?\s?d\.?\s?o\.?\s?o|o\.\s?o\.\s?d|doo|dooel|ooo|ehf|sh\.?\s?p\.?\s?k|"
    r"q\.?\s?k\.?\s?s\.?\s?c|spol\.\s?s\s?r\.\s?o|mchj|tnhh)\b\.?(?=[\s,;:()\[]|$)"
    # Words too short or too common to count anywhere but at the end, written large.
    r"|(?<=\w\s)(?-i:AS|KY|Ky|HB|KB|Bt|BT|ME|ENK|OÜ|AG|SAC|SNC|HF|AD|OOD|GbR|C\.\s?A|S\.\s?P|K\.\s?D)\.?(?=\s*$)",
    re.IGNORECASE,
)


def is_firm(text: str) -> bool:
    """Return True if the line is a firm's name: it ends with a legal form and has no number."""
    ends = [form.end() for form in LEGAL.finditer(text)]
    return bool(ends) and not text[ends[-1] :].strip(" .,;:()") and not any(map(str.isdigit, text))
