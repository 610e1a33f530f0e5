"""The shim's source, part by part. A client starts one file, `stdio_shim/__main__.py`, joined of these."""
