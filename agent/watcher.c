/*
 * watcher - tell the sinks, while code runs, the time and its output.
 */
#include "agent/watcher.h"

static void watcher_note(void *loop, const char *line)
{
	loop_notice(loop, "%s", line);
}

static void watcher_begin(void *loop)
{
	loop_tell(loop, &(struct event){.kind = EVENT_BEGIN});
}

static void watcher_tick(void *loop)
{
	loop_tell(loop, &(struct event){.kind = EVENT_PIECE, .text = ""});
}

static void watcher_output(void *loop, int stream, const char *text, size_t length)
{
	loop_tell(loop,
		  &(struct event){
			  .kind = EVENT_OUTPUT, .stream = stream, .text = text, .length = length});
}

struct run_watcher watcher_of(struct agent_loop *l)
{
	return (struct run_watcher){watcher_note, watcher_begin, watcher_tick, watcher_output, l};
}

struct execution_bounds watcher_bounds(const struct task *t)
{
	return (struct execution_bounds){
		.timeout_ms = t->loop->options->timeout_ms,
		.deadline_us = t->deadline_us,
		.signal_fd = t->loop->signal_fd,
		.watcher = watcher_of(t->loop),
	};
}
