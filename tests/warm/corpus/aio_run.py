import asyncio


async def main():
    await asyncio.sleep(0.01)
    return asyncio.current_task().get_name()


print(asyncio.run(main()))
