"""The demo: an agent's client builds a network inside the stand-in, through the real shim and straight over HTTP."""
