"""What happened: in memory, in files with rotation, and to whoever listens.

Standard library only; nothing here touches TouchDesigner, the root logger or standard output.
"""
