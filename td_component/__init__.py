"""The component as TouchDesigner sees it: one description, and the scripts of its DATs."""
