/*
 * run_call - run code in a session, and notify a watcher meanwhile.
 */
#include "agent/run/run_call.h"

struct run_stream {
	const struct run_watcher *watcher;
	int number;
	struct display_places *places; /* where displays stand in `output` */
};

static void run_call_take_output(void *context, const char *bytes, size_t length)
{
	const struct run_stream *s = context;

	if (s->watcher->output)
		s->watcher->output(s->watcher->context, s->number, bytes, length);
}

static void run_call_take_display(void *context)
{
	display_places_add(((struct run_stream *)context)->places);
}

static struct sink run_call_sink(struct run_stream *s, struct buf *buffer)
{
	return (struct sink){.fd = -1,
			     .buffer = buffer,
			     .take = run_call_take_output,
			     .display = s->places ? run_call_take_display : NULL,
			     .context = s};
}

void run_call(struct session *session, const char *code, struct session_call *call,
	      struct buf output[2], struct display_places *places,
	      const struct run_watcher *watcher)
{
	struct run_stream streams[2] = {
		{watcher, 0, places},
                {watcher, 1, NULL  }
        };
	const struct sink sinks[2] = {run_call_sink(&streams[0], &output[0]),
				      run_call_sink(&streams[1], &output[1])};
	auto_buf struct buf members = {0};
	struct err ignored;

	buf_text(&members, "\"op\":\"run\",\"source\":");
	buf_json_text(&members, code);
	buf_text(&members, ",\"formats\":[\"png\"]");
	call->out = sinks;
	call->tick = watcher->tick;
	call->tick_context = watcher->context;
	(void)session_ask(session, session->fds[SESSION_CHANNEL], members.data, members.length,
			  call, &ignored);
	call->out = NULL;
}
