# flags: --quiet --timeout 500ms
# status: 124
import time

time.sleep(20)
