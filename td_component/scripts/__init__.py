"""Texts of the component's DATs. They run inside TouchDesigner, as DAT modules; nothing here imports them."""
