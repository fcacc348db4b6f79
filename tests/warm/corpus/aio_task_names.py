import asyncio


async def f():
    return asyncio.current_task().get_name()


async def main():
    return [await asyncio.create_task(f()) for _ in range(3)]


print(asyncio.run(main()))
