"""What keeps clients from reaching TouchDesigner, and the one command that mends it.

from tdmcp_embedded.doctor import checks
for finding in checks.examine(machine, folder): ...
"""
