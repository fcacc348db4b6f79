/*
 * http_client - send one HTTP request at a time, and stream its answer to a callback; the only user
 * of libcurl.
 */
#include "agent/server/http_client.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/server/budget.h"
#include "agent/server/certificates.h"
#include "agent/server/http_sockets.h"
#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"

#define ERROR_BODY_MAX ((size_t)64 << 10)
#define LINGER_MS      250 /* to read the end of an answer whose content is complete */
#define TICK_MS        250

struct http_client {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	struct server_url url;
	const char *ca; /* NULL: where libcurl looks by itself */
	uint64_t connect_ms;
	struct http_sockets sockets; /* those that libcurl uses */
	struct loop loop;
};

/* State of one request. */
struct transfer {
	struct http_client *client;
	const struct http_request *request;
	struct http_answer *answer;
	struct budget budget;
	uint64_t head_bytes; /* headers, with those of 1xx answers and trailers */
	bool begun;          /* a byte of a body has arrived */
	bool enough;         /* the rest is not wanted */
	bool refused;        /* by take() */
	uint64_t enough_at;  /* time at which `enough` was noticed; 0: not yet */
	uint64_t ticked_at;
};

static void http_client_note(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text ? text : "");
}

static int http_client_add_header(struct http_client *c, const char *line)
{
	struct curl_slist *longer = curl_slist_append(c->headers, line);

	if (!longer)
		return -1;
	c->headers = longer;
	return 0;
}

static int http_client_add_key(struct http_client *c, const char *key, struct err *e)
{
	auto_buf struct buf line = {0};

	for (const char *p = key; *p; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return err_input(e, "the API key has a character that no key can have");
	buf_printf(&line, "Authorization: Bearer %s", key);
	return http_client_add_header(c, buf_string(&line)) ? err_set(e, ERR_SYSTEM, "no memory")
							    : 0;
}

/* libcurl opens its wake-up descriptors without O_CLOEXEC: set it on the lowest free ones. */
static CURLM *http_client_open_multi(void)
{
	bool ours[256];
	CURLM *multi;

	for (int fd = 0; fd < (int)sizeof(ours); fd++)
		ours[fd] = fcntl(fd, F_GETFD) >= 0;
	multi = curl_multi_init();
	for (int fd = 0; fd < (int)sizeof(ours); fd++)
		if (!ours[fd])
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	return multi;
}

static curl_socket_t http_client_open_socket(void *context, curlsocktype purpose,
					     struct curl_sockaddr *address)
{
	int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);

	(void)purpose;
	http_sockets_add(context, fd);
	return fd;
}

static int http_client_close_socket(void *context, curl_socket_t fd)
{
	http_sockets_remove(context, fd);
	return close(fd);
}

/* libcurl reports descriptors to wait for; one may be the pipe of its resolver thread. */
static int http_client_await(CURL *easy, curl_socket_t fd, int what, void *sockets, void *own)
{
	(void)easy;
	(void)own;
	return http_sockets_await(
		sockets, fd,
		(short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0)));
}

int http_client_open(const struct server_url *url, const char *api_key, const char *ca,
		     uint64_t connect_ms, struct http_client **out, struct err *e)
{
	const curl_version_info_data *built = curl_version_info(CURLVERSION_NOW);
	struct http_client *c = own_zeroed(1, sizeof(*c));

	*c = (struct http_client){.url = *url, .connect_ms = connect_ms, .loop = loop_none()};
	c->ca = ca || built->cainfo || built->capath ? ca : certificates_find();
	http_sockets_init(&c->sockets);
	if (!curl_global_init(CURL_GLOBAL_ALL)) {
		c->multi = http_client_open_multi();
		c->easy = curl_easy_init();
	}
	/* Suppress "Expect", for which curl waits before a long body. */
	if (!c->multi || !c->easy || http_client_add_header(c, "Content-Type: application/json") ||
	    http_client_add_header(c, "Expect:")) {
		err_set(e, ERR_SYSTEM, "libcurl does not start");
	} else if (!api_key || !*api_key || !http_client_add_key(c, api_key, e)) {
		curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, http_client_await);
		curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, &c->sockets);
		*out = c;
		return 0;
	}
	http_client_close(c);
	return -1;
}

void http_client_close(struct http_client *c)
{
	if (!c)
		return;
	curl_easy_cleanup(c->easy);
	curl_multi_cleanup(c->multi);
	curl_slist_free_all(c->headers);
	curl_global_cleanup();
	free(c);
}

void http_answer_fini(struct http_answer *answer)
{
	buf_fini(&answer->error_body);
}

/* Copy status and headers; curl calls this before the body. */
static void http_client_read_headers(struct transfer *t)
{
	CURL *easy = t->client->easy;
	char *text = NULL;

	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &t->answer->status);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &text);
	http_client_note(t->answer->content_type, sizeof(t->answer->content_type), text);
	text = NULL;
	curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &text);
	http_client_note(t->answer->location, sizeof(t->answer->location), text);
}

static size_t http_client_on_body(char *bytes, size_t one, size_t length, void *context)
{
	struct transfer *t = context;
	int taken;

	(void)one;
	t->begun = true;
	if (!t->answer->status)
		http_client_read_headers(t);
	if (t->answer->status != 200) {
		buf_add(&t->answer->error_body, bytes, length);
		t->enough = t->answer->error_body.truncated;
		return length;
	}
	t->answer->any = t->answer->any || length;
	taken = t->request->take(t->request->context, bytes, length);
	if (t->enough)
		return length;
	t->refused = taken < 0;
	t->enough = taken > 0;
	return t->refused ? 0 : length;
}

/* libcurl keeps all headers: bound their bytes. */
static size_t http_client_on_header(const char *bytes, size_t one, size_t length, void *context)
{
	struct transfer *t = context;

	(void)bytes;
	t->head_bytes += one * length;
	return t->head_bytes > BUDGET_HEAD_BYTES ? 0 : length;
}

static void http_client_prepare(struct transfer *t, const char *address, char *detail)
{
	struct http_client *c = t->client;
	CURL *easy = c->easy;
	const struct buf *body = t->request->body;

	curl_easy_reset(easy);
	curl_easy_setopt(easy, CURLOPT_URL, address);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, http_client_open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &c->sockets);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, http_client_close_socket);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &c->sockets);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)c->connect_ms);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, c->headers);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "glovebox/" GLOVEBOX_VERSION);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_client_on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_client_on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, detail);
	if (c->ca) {
		curl_easy_setopt(easy, CURLOPT_CAINFO, c->ca);
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	if (c->url.loopback)
		curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Otherwise a cancellation waits for the resolver thread. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
	if (body) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, buf_string(body));
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->length);
	}
}

static enum http_outcome http_client_outcome_of(CURL *easy, CURLcode code)
{
	long number = 0;

	switch ((int)code) {
	case CURLE_OK:
		return HTTP_ANSWERED;
	case CURLE_COULDNT_CONNECT:
		curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
		return number == ECONNREFUSED ? HTTP_REFUSED : HTTP_NO_ROUTE;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return HTTP_NO_HOST;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE: /* without a detail */
		return HTTP_NO_TRUST;
	case CURLE_OPERATION_TIMEDOUT: /* only connecting has a timeout */
		return HTTP_NO_ROUTE;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
		return HTTP_DROPPED;
	case CURLE_WRITE_ERROR:
		return HTTP_TAKEN;
	default:
		return HTTP_FAILED;
	}
}

/* Return a measure of accepted request bytes and useful answer bytes. */
static uint64_t http_client_useful(const struct transfer *t)
{
	const struct http_request *request = t->request;
	curl_off_t up = 0;

	curl_easy_getinfo(t->client->easy, CURLINFO_SIZE_UPLOAD_T, &up);
	return (uint64_t)up + t->begun +
	       (request->content ? request->content(request->context) : 0);
}

/* Wait for a descriptor or libcurl's timeout. True: cancelled. */
static bool http_client_wait_for_more(struct transfer *t, uint64_t timeout_ms)
{
	struct http_client *c = t->client;
	const struct http_request *request = t->request;
	uint64_t now;
	long due_ms = -1;
	bool cancelled;

	curl_multi_timeout(c->multi, &due_ms);
	timeout_ms = clock_earlier(timeout_ms, due_ms < 0 ? INT_MAX : (uint64_t)due_ms);
	timeout_ms = clock_earlier(timeout_ms, request->tick ? TICK_MS : INT_MAX);
	loop_arrange(&c->loop, c->sockets.awaited, LOOP_MAX, monotonic_us() + timeout_ms * 1000);
	cancelled = loop_wait(&c->loop, request->cancel_fd);
	now = monotonic_ms();
	if (request->tick && now - t->ticked_at >= TICK_MS) {
		t->ticked_at = now;
		request->tick(request->context);
	}
	return cancelled;
}

/*
 * Let libcurl do one step only: the budget is checked between steps, even during a flood. A call
 * for a descriptor also does what is due.
 */
static CURLMcode http_client_step(struct http_client *c, int *running)
{
	CURLMcode code;
	int fd;

	loop_collect(&c->loop);
	fd = http_sockets_ready(&c->sockets); /* -1 is CURL_SOCKET_TIMEOUT */
	do {
		code = curl_multi_socket_action(c->multi, fd, 0, running);
		fd = http_sockets_ready(&c->sockets);
	} while (!code && fd >= 0);
	return code;
}

/* Whether to stop, even if the server continues. If not, set *patience_ms of silence. */
static bool http_client_over(struct transfer *t, enum http_outcome *outcome, uint64_t *patience_ms)
{
	static const enum http_outcome outcomes[] = {
		[BUDGET_STALLED] = HTTP_STALLED,
		[BUDGET_IDLE] = HTTP_IDLE,
		[BUDGET_SPENT] = HTTP_ENDLESS,
	};
	uint64_t now = monotonic_ms();
	enum budget_verdict verdict;

	if (t->enough) {
		t->enough_at = t->enough_at ? t->enough_at : now;
		*outcome = HTTP_ANSWERED;
		*patience_ms = t->enough_at + LINGER_MS > now ? t->enough_at + LINGER_MS - now : 0;
		return !*patience_ms;
	}
	verdict = budget_check(&t->budget, http_sockets_received(&t->client->sockets),
			       http_client_useful(t), now);
	*outcome = outcomes[verdict];
	*patience_ms = budget_patience_ms(&t->budget, now);
	return verdict != BUDGET_LEFT;
}

static enum http_outcome http_client_drive(struct transfer *t)
{
	CURLM *multi = t->client->multi;
	const CURLMsg *message;
	enum http_outcome outcome;
	uint64_t patience_ms;
	int left;

	for (;;) {
		int running = 0;

		if (http_client_step(t->client, &running))
			return HTTP_FAILED;
		if (!running)
			break;
		if (http_client_over(t, &outcome, &patience_ms))
			return outcome;
		if (http_client_wait_for_more(t, patience_ms))
			return HTTP_CANCELLED;
	}
	do
		message = curl_multi_info_read(multi, &left);
	while (message && message->msg != CURLMSG_DONE);
	return message ? http_client_outcome_of(t->client->easy, message->data.result)
		       : HTTP_FAILED;
}

void http_send(struct http_client *c, const struct http_request *request, struct http_answer *out)
{
	struct transfer t = {
		.client = c, .request = request, .answer = out, .ticked_at = monotonic_ms()};
	auto_buf struct buf address = {0};
	char detail[CURL_ERROR_SIZE] = "";

	*out = (struct http_answer){.error_body.cap = ERROR_BODY_MAX, .outcome = HTTP_CANCELLED};
	if (fd_is_ready(request->cancel_fd, POLLIN))
		return;
	buf_printf(&address, "%s%s", c->url.base, request->path);
	budget_begin(&t.budget, request->bytes_max, request->stall_ms, t.ticked_at);
	http_client_prepare(&t, buf_string(&address), detail);
	if (curl_multi_add_handle(c->multi, c->easy)) {
		out->outcome = HTTP_FAILED;
		return;
	}
	out->outcome = http_client_drive(&t);
	http_client_read_headers(&t); /* a redirection's target is known only at the end */
	if (out->outcome == HTTP_TAKEN && !t.refused)
		out->outcome = t.head_bytes > BUDGET_HEAD_BYTES ? HTTP_HEADERS : HTTP_FAILED;
	if (t.enough && (out->outcome == HTTP_DROPPED || out->outcome == HTTP_STALLED))
		out->outcome = HTTP_ANSWERED;
	http_client_note(out->detail, sizeof(out->detail), detail);
	curl_multi_remove_handle(c->multi, c->easy);
}
