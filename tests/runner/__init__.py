"""runner - how tests/run has pytest perform tests: each class, each program of C, in a process of its own."""
