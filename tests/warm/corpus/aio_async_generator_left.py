import asyncio
import sys


async def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("closed")


async def main():
    async for n in numbers():
        print(n)
        break


print(sys.get_asyncgen_hooks(), sys.get_coroutine_origin_tracking_depth())
asyncio.run(main())
