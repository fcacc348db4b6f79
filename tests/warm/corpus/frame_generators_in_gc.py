import gc
import types

kinds = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
print([o.__qualname__ for o in gc.get_objects() if isinstance(o, kinds)])
