"""Scripts that run in forks of the warm interpreter, one module per kind of child."""
