# A sub-module that nobody imported is no attribute of its package.
import concurrent
import importlib
import json
import os
import xml

print(hasattr(concurrent, "futures"), hasattr(xml, "etree"), hasattr(importlib, "resources"))
print(hasattr(json, "tool"), hasattr(os, "path"))
