/*
 * shell_line - run one line of shell in the conversation's sandbox.
 */
#include "agent/shell_line.h"

#include "agent/watcher.h"
#include "base/say.h"

/* Use one expression, so that the session gets no new names. The line is in hexadecimal. */
static void shell_line_write_code(const char *line, struct buf *out)
{
	buf_text(out,
		 "(lambda p: print('exit status', p.returncode) if p.returncode else None)("
		 "__import__('subprocess').run(['/bin/sh', '-c', bytes.fromhex('");
	for (const unsigned char *p = (const unsigned char *)line; *p; p++)
		buf_printf(out, "%02x", *p);
	buf_text(out, "')], stdin=-3))");
}

void shell_line_run(struct agent_loop *l, const char *line)
{
	const struct execution_bounds bounds = {.timeout_ms = l->options->timeout_ms,
						.deadline_us = UINT64_MAX,
						.signal_fd = l->signal_fd,
						.watcher = watcher_of(l)};
	auto_buf struct buf code = {0};
	struct execution x;
	struct err e;

	shell_line_write_code(line, &code);
	if (executor_run(l->executor, buf_string(&code), &bounds, &x, &e)) {
		say_error(&e);
		return;
	}
	loop_tell(l, &(struct event){.kind = EVENT_EXECUTED, .execution = &x, .text = ""});
	execution_fini(&x);
}
