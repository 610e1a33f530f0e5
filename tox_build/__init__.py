"""Turns the description of the component into what TouchDesigner can load."""
