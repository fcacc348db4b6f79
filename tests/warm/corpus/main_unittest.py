# status: 1
# mask: Ran \d+ tests? in [0-9.]+s
# The time that it took differs.
import unittest


class Some(unittest.TestCase):
    def test_good(self):
        self.assertEqual(1, 1)

    def test_bad(self):
        self.assertEqual(1, 2)


unittest.main()
