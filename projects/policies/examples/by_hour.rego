package countersign

# Documents can be viewed at any time, but changed on working days from 7 to 19 only.

zone := "Europe/Berlin"

deny contains "Documents are changed on working days from 7 to 19 only." if {
	input.action != "READ"
	not working_hours
}

working_hours if {
	not time.weekday([input.time.ns, zone]) in ["Saturday", "Sunday"]
	[hour, _, _] := time.clock([input.time.ns, zone])
	hour >= 7
	hour < 19
}
