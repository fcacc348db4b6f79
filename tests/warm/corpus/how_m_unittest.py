# how: $ python3 -m unittest -v test_it
# flags: -w /code
# files: test_it.py=import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 1)\n    def test_b(self): self.fail("b")\n
# status: 1
# mask: in [0-9.]+s
# The time that it took differs.
