# status: 1
import asyncio


async def f():
    await asyncio.sleep(0)
    raise ValueError("in a task")


asyncio.run(f())
