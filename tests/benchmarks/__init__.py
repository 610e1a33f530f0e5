"""What it costs, measured. `python -m tests.benchmarks` prints the numbers the project promises to hold."""
