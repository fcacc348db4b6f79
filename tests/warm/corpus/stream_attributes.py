import sys

for stream in (sys.stdout, sys.stderr):
    print(stream.line_buffering, stream.write_through, stream.isatty(), stream.seekable(), stream.fileno())
    print(type(stream), type(stream.buffer), type(stream.buffer.raw), stream.buffer.raw.name, stream.buffer.raw.closefd)
print(sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__, repr(sys.stdout), repr(sys.stderr))
