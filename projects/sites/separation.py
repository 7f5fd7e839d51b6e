"""In which reviews a site keeps people from deciding on their own work."""

from enum import StrEnum


class Separation(StrEnum):
    """Stored words. Whoever uploaded a document, or decided on it earlier in its run, does not decide its review."""

    FOUR_EYES = "four_eyes"  # where the definition asks for two people
    ALWAYS = "always"
    NEVER = "never"  # but for what a definition itself asks for: its second approver is another person


SEPARATIONS = {
    Separation.FOUR_EYES: "Workflows with two approvals",
    Separation.ALWAYS: "All reviews",
    Separation.NEVER: "Off",
}
