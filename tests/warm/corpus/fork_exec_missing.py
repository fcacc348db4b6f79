# status: 1
import os

os.execv("/no/such/program", ["x"])
