"""What models are told: a prompt for each purpose, its versions, labels and the runs that used them."""
