"""What agents are asked to do, as scripts: each a job of an artist's, done with the tools alone."""
