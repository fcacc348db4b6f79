# status: 5
import os

os.execlp("sh", "sh", "-c", "exit 5")
