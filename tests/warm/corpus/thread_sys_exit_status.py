# status: 3
import sys
import threading
import time

threading.Thread(target=lambda: (time.sleep(0.2), print("still runs"))).start()
sys.exit(3)
