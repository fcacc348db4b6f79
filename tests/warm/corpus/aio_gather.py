import asyncio


async def work(n):
    await asyncio.sleep(0.02 * n)
    print("done", n)
    return n


async def main():
    print(await asyncio.gather(work(2), work(0), work(1)))


asyncio.run(main())
