# status: 1
error = ValueError("with notes")
error.add_note("first note")
error.add_note("second\nline")
raise error
