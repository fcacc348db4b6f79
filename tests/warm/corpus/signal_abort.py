# status: 134
import os

os.abort()
