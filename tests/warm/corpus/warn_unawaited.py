async def f():
    pass


f()
print("goes on")
