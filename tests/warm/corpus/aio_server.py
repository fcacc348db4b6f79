import asyncio


async def serve(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 8765)
    reader, writer = await asyncio.open_connection("127.0.0.1", 8765)
    writer.write(b"hello\n")
    print(await reader.read())
    writer.close()
    server.close()


asyncio.run(main())
