# status: 1
# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import pickle

pickle.dumps(lambda: 1)
