# Names that count up from the first use.
import asyncio
import concurrent.futures
import threading
import uuid

pool = concurrent.futures.ThreadPoolExecutor(1)
print(pool.submit(lambda: threading.current_thread().name).result())
print(threading.Thread().name, uuid._last_timestamp)
print(asyncio.new_event_loop().create_future())
