import array
import struct

print(struct.pack("<IhB", 1, -2, 3), array.array("d", [1, 2]).tobytes(), struct.calcsize("P"))
