"""ways - the ways of making a text in C: which arguments are messages, which go into others, which are neither."""

import re

# A call whose argument number `at` is a message: the kind, or the argument that has it.
# The arguments behind a format are what its %s stand for.
KIND, STATUS, CODE = "err.h", "http", "mcp"
SINKS: dict[str, tuple[str | tuple[str, int], int]] = {
    "err_set": ((KIND, 1), 2), "err_fill": ((KIND, 1), 2),
    "err_input": ("invalid", 1), "err_sys": ("system", 1), "err_fill_errno": ("system", 1),
    "err_prefix": ("context", 1), "err_wrap": ("context", 1),
    "inside_fail": ("system", 2), "inside_fail_namespaces": ("system", 3),
    "request_refuse": ((STATUS, 1), 2),
    "mcp_request_fail": ((CODE, 1), 3), "mcp_request_complain": ((CODE, 3), 4),
    "loop_notice": ("stderr", 1), "warn": ("stderr", 1), "progress_say": ("stderr", 0),
    "say_warning": ("stderr", 0), "log_say": ("log", 1),
    "printf": ("stdout", 0), "puts": ("stdout", 0),
    "doctor_set": ("doctor", 2), "selftest_note": ("selftest", 2), "probe_say": ("selftest", 1),
    "note_failure": ("mover", 0), "note_left_out": ("mover", 0),
}  # fmt: skip

# The same, where the argument that names the stream says whether it is one.
STREAMS = {"fprintf": (0, 1), "fputs": (1, 0), "dprintf": (0, 1), "say_line": (0, 1), "say_lines": (0, 1)}
STREAM_KINDS = {"stderr": "stderr", "STDERR_FILENO": "stderr", "stdout": "stdout", "STDOUT_FILENO": "stdout"}

# A call that puts a text together, from its argument number `at` on.
BUILDERS = {
    "buf_text": 1, "buf_printf": 1, "buf_add": 1, "own_printf": 0, "own_strdup": 0, "snprintf": 2, "sprintf": 1,
    "list_add": 1, "list_addf": 1, "spec_printf": 1, "spec_strdup": 1,
    "probe_say": 3, "selftest_note": 4, "inside_fail": 3, "LIST": 2,
    "note_failure": 1, "note_left_out": 1,
    "create_field_wrong": 2, "console_text": 2, "console_printf": 2, "console_add": 2, "json_put_text": 2, "json_put": 1,
}  # fmt: skip

# Neither: what compares, what names a thing for a program, and what only tests and traces see.
OTHER = {
    "strcmp", "strncmp", "strstr", "strcasestr", "text_begins", "memmem", "memcmp", "strlen", "sizeof", "__asm__", "_Static_assert",
    "privileges_keep", "dockerfile_key_text", "el_wset", "http_client_add_header", "request_set_header", "request_stream",
}  # fmt: skip

# Tables and fields that are no messages: by "type name", and by field. Help, summaries and the words for
# a default are what man pages and --help are made of; they have tests of their own.
OTHER_FIELDS = {"help", "summary", "more", "end", "words", "synopsis"}
OTHER_TABLES = re.compile(r"\bstruct (command|words?) |\b(openings|examples|trials|python|keywords|builtins|page_types)\b")
OTHER_MACROS = {"IMPORT_SIZE", "IMPORT_PLATFORM", "KEYS_ROW"}  # rows of a table, with their help

# Texts for a model, a shell, man(1) and HTTP; and what the probe of selftest is told.
OTHER_FILES = ("agent/reply/", "agent/tell/", "runtime/cli/complete.c", "runtime/cli/generate.c", "runtime/mover/reason.c", "runtime/serve/manual.c")
OTHER_TEXTS = re.compile(r"mode=|\.S[HS] |.*; charset=|attachment;|event: |default-src |\[\{|\(lambda |\nclass |main universe")

PROSE = re.compile(r"[A-Za-z]{2,}[,:;)\"']* [(\"'%]?[a-z]{2,}")
