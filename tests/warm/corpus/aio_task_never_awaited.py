# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import asyncio


async def fail():
    raise ValueError("nobody looked")


async def main():
    task = asyncio.create_task(fail(), name="mine")
    await asyncio.sleep(0.01)
    del task


asyncio.run(main())
