"""A file arrives: uploaded, in the bucket, in a mail or an archive; it is inspected, stored and its run planned."""
