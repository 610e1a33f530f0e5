"""The product's tests against a stand-in in which one fact about TouchDesigner does not hold: each time one must fail."""
