"""Threat: one file under many names: small here, large where each name is copied.

Layer: the collector's size limit. The test judges it by the room that arrives on the host.
"""

import os

os.chdir("/output")
with open("first", "wb") as file:
    file.write(b"x" * (1 << 20))
for number in range(200):
    os.link("first", f"link-{number}")
print("PLANTED", flush=True)
