package countersign

# Documents with the attribute "department" are for the group of that name.

deny contains sprintf("This document is for the group %s.", [department]) if {
	some department in input.document.attributes.department
	not department in input.user.groups
}
