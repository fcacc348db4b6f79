# known: an event loop that is left open is ended in another order
import asyncio

loop = asyncio.get_event_loop()
print(type(loop).__name__, loop.is_running(), loop.get_debug())
print(loop.run_until_complete(asyncio.sleep(0, "result")))
