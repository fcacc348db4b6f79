# status: 120
import os

os.close(2)
raise ValueError("nobody sees this")
