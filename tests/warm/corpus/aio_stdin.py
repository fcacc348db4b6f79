# stdin: one\ntwo\n
import asyncio
import sys


async def main():
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    print(await reader.readline(), await reader.readline(), await reader.read())


asyncio.run(main())
