/*
 * toy_face - a face with two routes, for the author of the next one.
 *
 *     toy_face ADDRESS
 *
 * GET /hello says hello; the body of POST /run is Python, and the reply is what it prints. It has a
 * form of refusals of its own, and no keys. Needs a warm supervisor of the image "host". Serves
 * until its standard input ends.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "service/script.h"
#include "spec/spec.h"
#include "web/http.h"
#include "web/listen.h"

static struct hub *hub;
static struct sandbox_spec terms; /* defaults of a run */

static void toy_hello(struct request *r)
{
	request_reply(r, 200, "text/plain",
		      &(struct buf){.data = own_strdup("hello\n"), .length = 6});
}

struct toy_run {
	struct request *request; /* NULL: the client disconnected */
	struct buf source;
	struct buf out;
	struct script_request asked;
	struct script_result result;
	struct script *script;
};

static void toy_run_done(void *context)
{
	struct toy_run *run = context;

	if (run->request && run->result.failed)
		request_refuse(run->request, 503, "%s", run->result.error.text);
	else if (run->request)
		request_reply(run->request, 200, "text/plain", &run->out);
	script_free(run->script);
	script_result_fini(&run->result);
	buf_fini(&run->source);
	buf_fini(&run->out);
	free(run);
}

/* The client disconnected: cancel the run. */
static void toy_run_abandon(struct request *r)
{
	struct toy_run *run = r->work;

	run->request = NULL;
	script_cancel(run->script);
}

static void toy_run(struct request *r)
{
	struct toy_run *run = own_zeroed(1, sizeof(*run));
	struct err e;

	run->source = r->body;
	r->body = (struct buf){0};
	run->asked = (struct script_request){
		.image = "host:latest",
		.terms = &terms,
		.source = buf_string(&run->source),
		.source_length = run->source.length,
		.out = {{.fd = -1, .buffer = &run->out}, {.fd = -1, .buffer = &run->out}},
		.collect_fd = -1
        };
	run->request = r;
	if (script_start(hub, &run->asked, &run->result, toy_run_done, run, &run->script, &e)) {
		run->result = (struct script_result){.failed = true, .error = e};
		toy_run_done(run);
		return;
	}
	r->work = run;
	r->abandon = toy_run_abandon;
}

/* A face with keys has an admit(), too, which also judges the page that asks (web/origin.h). */
static void toy_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	buf_text(body, "no: ");
	buf_add(body, text, length);
	buf_text(body, "\n");
}

static void toy_dismiss(struct request *r)
{
	request_refuse(r, 503, "ending");
}

static const struct route routes[] = {
	{"GET",  "/hello", toy_hello, 0,       true,  NULL},
	{"POST", "/run",   toy_run,   1 << 16, true,  NULL},
	{NULL,   NULL,     NULL,      0,       false, NULL},
};

static const struct site site = {.routes = routes,
				 .turn_away = toy_dismiss,
				 .dismiss = toy_dismiss,
				 .refusal_type = "text/plain",
				 .explain = toy_explain};

static void toy_end(void *over, uint32_t events)
{
	*(bool *)over = events != 0;
}

int main(int argc, char **argv)
{
	struct http_options options = {.listener_count = 1,
				       .connections_max = 100,
				       .headers_ms = 10000,
				       .still_ms = 10000};
	bool is_over = false;
	struct hub_watch input = {.ready = toy_end, .context = &is_over, .fd = -1};
	enum origin_listen kind;
	struct http *http;
	char *said = NULL;
	struct err e = {.text = "ADDRESS"};

	signal(SIGPIPE, SIG_IGN);
	spec_init(&terms);
	hub = hub_open(&e);
	options.listeners[0].site = &site;
	options.listeners[0].fd =
		argc == 2 && hub ? listen_open(argv[1], false, &kind, &said, &e) : -1;
	if (options.listeners[0].fd < 0 || http_open(hub, &options, &http, &e) ||
	    hub_watch(hub, &input, STDIN_FILENO, EPOLLIN, &e)) {
		fprintf(stderr, "toy_face: %s\n", e.text);
		return 1;
	}
	puts(said);
	fflush(stdout);
	while (!is_over)
		hub_turn(hub);
	hub_unwatch(hub, &input);
	http_close(http);
	hub_close(hub);
	spec_fini(&terms);
	free(said);
	return 0;
}
