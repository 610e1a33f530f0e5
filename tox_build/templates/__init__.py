"""Texts that a build fills in. They run inside TouchDesigner; nothing imports them."""
