# status: 1
import asyncio

print(asyncio._get_running_loop(), type(asyncio.get_event_loop_policy()).__name__)
asyncio.get_running_loop()
