"""Prompts: what a person can ask an agent to do with one choice, grounded in the project as it is."""
