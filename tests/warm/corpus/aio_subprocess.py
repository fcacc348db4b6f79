import asyncio


async def main():
    process = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0], process.returncode)
    process = await asyncio.create_subprocess_shell("exit 4")
    print(await process.wait())


asyncio.run(main())
