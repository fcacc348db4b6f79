"""support - what the tests of every suite share: programs run, processes seen, supervisors, a model."""
