"""What TouchDesigner does, one behaviour a test, each naming its fact; `runner` runs them inside TouchDesigner."""
