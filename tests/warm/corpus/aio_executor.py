import asyncio
import threading


async def main():
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, lambda: threading.current_thread().name))
    print(await asyncio.to_thread(sum, [1, 2]))


asyncio.run(main())
