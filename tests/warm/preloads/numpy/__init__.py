"""numpy - what of it matters to test_machinery.RandomTest, on machines that have none."""
