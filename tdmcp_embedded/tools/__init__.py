"""The tools: input and output models, and short functions over `tdmcp_embedded.touchdesigner`."""
