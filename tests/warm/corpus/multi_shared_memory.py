from multiprocessing import Array, Lock, Process, Value, shared_memory


def work(value, array):
    with value.get_lock():
        value.value += 1
    array[0] = 9


if __name__ == "__main__":
    value, array = Value("i", 1), Array("i", 2)
    process = Process(target=work, args=(value, array))
    process.start()
    process.join()
    print(value.value, array[:], Lock())
    block = shared_memory.SharedMemory(create=True, size=10)
    block.buf[0] = 7
    second = shared_memory.SharedMemory(block.name)
    print(bytes(second.buf[:1]))
    second.close()
    block.close()
    block.unlink()
