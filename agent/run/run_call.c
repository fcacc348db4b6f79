/*
 * run_call - run code in a session, and notify a watcher meanwhile.
 */
#include "agent/run/run_call.h"

#include <string.h>

#include "service/notebook_wait.h"

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

void run_call(struct session *session, const char *code, const struct run_bounds *bounds,
	      struct buf output[2], struct display_places *places,
	      const struct run_watcher *watcher, struct notebook_result *result)
{
	struct run_stream streams[2] = {
		{watcher, 0, places},
                {watcher, 1, NULL  }
        };
	const struct notebook_wait wait = {
		.signal_fd = bounds->signal_fd, .tick = watcher->tick, .context = watcher->context};
	const struct notebook_request request = {
		.action = NOTEBOOK_RUN,
		.own = session,
		.call = {.source = code,
			 .length = strlen(code),
			 .formats = "png",
			 .timeout_ms = bounds->timeout_ms,
			 .output_max = bounds->output_max,
			 .answer_max = bounds->answer_max,
			 .out = {run_call_sink(&streams[0], &output[0]),
				 run_call_sink(&streams[1], &output[1])}}
        };
	struct err ignored;

	if (notebook_wait(&request, &wait, result, &ignored) && !result->call.lost)
		call_result_read(session, &result->call, &result->outcome); /* it was not sent */
	result->call.out = NULL;
}
