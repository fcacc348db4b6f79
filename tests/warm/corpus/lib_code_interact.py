# stdin: 1 + 1\nx = 5\nx\n
import code

code.interact(banner="hello", exitmsg="bye", local={})
