# status: 1
import collections

collections.namedtupel("A", "b")
