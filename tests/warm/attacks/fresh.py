"""Draw from every generator of random numbers once, and print what came. No attack."""

import email.utils
import json
import multiprocessing
import os
import random
import secrets
import sqlite3
import ssl
import sys
import tempfile
import uuid
from multiprocessing.synchronize import SemLock

drawn = {
    "who": __name__,
    "urandom": os.urandom(8).hex(),
    "random": random.random(),
    "instance": random.Random().random(),
    "secrets": secrets.token_hex(8),
    "uuid4": str(uuid.uuid4()),
    "uuid1_node": str(uuid.uuid1())[19:],
    "tempfile": os.path.basename(tempfile.mktemp()),
    "authkey": multiprocessing.current_process().authkey.hex(),
    "semaphores": next(SemLock._rand),
    "message_id": email.utils.make_msgid(),
    "ssl": ssl.RAND_bytes(8).hex(),
    "sqlite": sqlite3.connect(":memory:").execute("select random()").fetchone()[0],
    "control": random.Random(1).random(),
}
try:
    import numpy.random

    drawn["numpy"] = numpy.random.random()
    drawn["numpy_rng"] = numpy.random.default_rng().random()
except ImportError:
    pass
if "holders" in sys.modules:
    drawn["held"] = sys.modules["holders"].draw()
print(json.dumps(drawn))
