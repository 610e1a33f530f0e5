"""What clients can read by address: parts of the project, guides, recipes. The protocol serves it (`protocol/`)."""
