"""OAuth 2.1 for remote agents: mounted only when it is switched on, and nobody gets in without the person at TouchDesigner."""
