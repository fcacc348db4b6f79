"""__init__ - what of numpy matters to test_machinery.RandomTest, on machines that have none."""
