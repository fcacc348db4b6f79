# status: 1
import importlib

importlib.util.find_spec("json")
