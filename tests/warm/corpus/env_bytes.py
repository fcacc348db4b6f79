# env: ODD=\xff
import os

print(os.environb[b"HOME"], ascii(os.environ["ODD"]), os.supports_bytes_environ)
