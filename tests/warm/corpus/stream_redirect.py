import contextlib
import io

text = io.StringIO()
with contextlib.redirect_stdout(text):
    print("caught")
    help(len)
print(text.getvalue())
