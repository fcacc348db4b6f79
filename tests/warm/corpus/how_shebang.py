# files: script.py=#!/usr/bin/env -S python3 -O\nprint(__debug__)\n
