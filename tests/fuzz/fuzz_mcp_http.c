/*
 * fuzz_mcp_http - any headers and any body for /mcp: what is answered has a status that is ours,
 * and is strict JSON or events of it; nothing of a request stays. There is no supervisor.
 *
 * Input: lines of headers, an empty line, the body.
 */
#include "talk.h"

#include <fcntl.h>

#include "base/json.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "request/server.h"
#include "serve/mcp_client.h"
#include "serve/mcp_http.h"

#define NOWHERE "/nonexistent/glovebox-fuzz"
#define VALUES  100000
#define EVENT   "event: message\ndata: "

static struct server server;

static const struct route table[] = {
	{"POST", "/mcp", mcp_http_run, MCP_HTTP_BODY, false, NULL},
	{NULL,   NULL,   NULL,         0,             false, NULL},
};

static bool admit(struct request *r)
{
	r->key = server.local;
	return true;
}

/* What an operator reads is not for whoever fuzzes. */
static void be_quiet(void)
{
	auto_fd int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	stderr = fdopen(dup(STDERR_FILENO), "w");
	MUST(stderr && dup2(nothing, STDERR_FILENO) == STDERR_FILENO);
	setvbuf(stderr, NULL, _IONBF, 0);
}

static void open_server(void)
{
	struct err e;

	hub = server.hub = hub_open(&e);
	MUST(hub);
	be_quiet();
	spec_init(&server.terms);
	ceiling_init(&server.shipped);
	MUST(!ceiling_read(NULL, &server.shipped, &server.ceiling, &e));
	server.local = key_of_local(&server.ceiling);
	server.image = own_strdup("host:latest");
	server.options.timeout_max_ms = 60000;
	server.options.output_max = 1000;
	server.options.mcp_sessions_max = 2;
	server.supplier = (struct supplier){.own = true, .directory = NOWHERE, .pipe = -1};
	admission_init(&server.admission, hub, 2, 1000);
	admission_init(&server.upkeep, hub, 2, 1000);
	talk_admit = admit;
	talk_open(table, &server);
}

/* -- what is answered ------------------------------------------------------------------------ */

static void check_json(const char *text, size_t length)
{
	auto_json struct json *document = NULL;
	struct err e;

	MUST(!json_check_strict(text, length, VALUES, &e));
	document = json_parse(text, length, &e);
	MUST(json_is_array(document) || json_string_at(document, "jsonrpc") ||
	     json_string_at(document, "detail"));
}

static bool is_listed(const char *status)
{
	static const char *const all[] = {"200", "202", "400", "404", "405",
					  "406", "413", "415", "417", NULL};
	size_t i = 0;

	while (all[i] && strncmp(all[i], status, 3) != 0)
		i++;
	return all[i] != NULL;
}

static void check(const struct buf *said)
{
	const char *text = buf_string(said);
	const char *body = strstr(text, "\r\n\r\n");

	if (!said->length || !strncmp(text, "HTTP/1.1 100", 12))
		return;
	MUST(!strncmp(text, "HTTP/1.", 7) && is_listed(text + strlen("HTTP/1.1 ")));
	MUST(body && !strstr(text, "Content-Type: text/event-stream")); /* all is over at once */
	body += 4;
	if (*body && strstr(text, "application/json"))
		check_json(body, said->length - (size_t)(body - text));
}

/* -- what is asked --------------------------------------------------------------------------- */

static void add_lines(struct buf *out, const char *lines, size_t length)
{
	for (size_t i = 0; i < length; i++)
		buf_add(out, lines[i] == '\n' ? "\r\n" : lines + i, lines[i] == '\n' ? 2 : 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *all = (const char *)data;
	const char *gap = size ? memmem(all, size, "\n\n", 2) : NULL;
	const size_t head = gap ? (size_t)(gap - all) + 1 : 0;
	const size_t body = gap ? head + 1 : 0;
	auto_buf struct buf text = {0};
	auto_buf struct buf said = {0};

	if (!hub)
		open_server();
	buf_printf(&text,
		   "POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n",
		   size - body);
	add_lines(&text, all, head);
	buf_text(&text, "\r\n");
	buf_add(&text, all + body, size - body);
	talk(&text, size % 2, &said);
	while (!LIST_EMPTY(&server.exchanges))
		talk_turn();
	MUST(!server.admission.running && !server.admission.waiting && !server.local->use.runs);
	MUST(LIST_EMPTY(&server.sessions.beginning));
	if (server.clients) {
		const struct mcp_client *c;

		MUST(LIST_EMPTY(&server.clients->drops) && LIST_EMPTY(&server.clients->waits));
		LIST_FOREACH (c, &server.clients->all, link)
			MUST(!c->under_way);
	}
	check(&said);
	return 0;
}
