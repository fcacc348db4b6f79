/*
 * entry - which sandbox a request of E2B's API is for, and whether it may reach it.
 */
#include "e2b/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"
#include "e2b/e2b_box.h"
#include "loop/clock.h"
#include "request/gate.h"
#include "request/session_work.h"
#include "web/query.h"

#define GONE      "The sandbox was not found"
#define WANTS     "this sandbox wants its access token: X-Access-Token"
#define SIGNATURE "v1_"
#define ID_HEADER "E2b-Sandbox-Id"

static bool entry_is_control(const struct request *r)
{
	static const char *const begins[] = {"/sandboxes", "/v2/", "/snapshots", "/templates"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (!strncmp(r->path, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

/* -- signatures ------------------------------------------------------------------------------ */

/* "v1_" and Base64, without padding, of SHA-256 of PATH:OPERATION:USER:TOKEN[:EXPIRY]. */
static void entry_sign(const struct request *r, const char *token, const char *expiry,
		       struct buf *out)
{
	const char *query = request_query(r);
	auto_free char *path = query_text(query, "path");
	auto_free char *user = query_text(query, "username");
	auto_free char *text = own_printf(
		"%s:%s:%s:%s%s%s", path ? path : "", strcmp(r->method, "POST") ? "read" : "write",
		user ? user : "", token, expiry ? ":" : "", expiry ? expiry : "");
	uint8_t digest[DIGEST_BYTES];

	digest_bytes(text, strlen(text), digest);
	buf_text(out, SIGNATURE);
	encode_base64(digest, sizeof(digest), out);
	while (out->length && out->data[out->length - 1] == '=')
		buf_cut(out, out->length - 1);
}

static bool entry_is_signed(const struct request *r, const char *name)
{
	const char *query = request_query(r);
	auto_free char *signature = query_text(query, "signature");
	auto_free char *expiry = query_text(query, "signature_expiration");
	auto_free char *user = query_text(query, "username");
	auto_buf struct buf right = {0};
	char token[DIGEST_HEX];
	int64_t until = INT64_MAX;
	struct err ignored;

	/* A user's name with a colon would make one text of two paths. */
	if (!signature || strcspn(user ? user : "", ":") != strlen(user ? user : "") ||
	    strcmp(r->path, "/files") != 0 ||
	    (expiry && parse_int(expiry, 0, INT64_MAX, &until, &ignored)) ||
	    until < (int64_t)(clock_now_ms() / 1000))
		return false;
	e2b_box_token(r->server, name, token);
	entry_sign(r, token, expiry, &right);
	return strlen(signature) == right.length && secret_is(signature, right.data, right.length);
}

static bool entry_has_signature(const struct request *r)
{
	auto_free char *signature = query_text(request_query(r), "signature");

	return signature != NULL;
}

/* -- names ----------------------------------------------------------------------------------- */

/* PORT-ID.DOMAIN, of the ports of envd and of the code interpreter. */
static bool entry_name_of_host(const struct request *r, char out[HANDLE_BYTES])
{
	static const char *const ports[] = {"49983-", "49999-"};
	const char *host = request_header(r, "Host");

	for (size_t i = 0; host && i < sizeof(ports) / sizeof(ports[0]); i++) {
		const char *id = host + strlen(ports[i]);
		auto_free char *label = NULL;

		if (strncmp(host, ports[i], strlen(ports[i])) != 0)
			continue;
		label = own_strndup(id, strcspn(id, ".:"));
		return e2b_box_name(label, out);
	}
	return false;
}

/* A link that was signed names its sandbox by the signature, if by nothing else. */
static bool entry_name_of_signature(const struct request *r, char out[HANDLE_BYTES])
{
	const struct box *b;

	LIST_FOREACH (b, &r->server->boxes, link) {
		if (b->face == &e2b_face && entry_is_signed(r, b->name)) {
			memcpy(out, b->name, HANDLE_BYTES);
			return true;
		}
	}
	return false;
}

bool entry_name(const struct request *r, char out[HANDLE_BYTES])
{
	const char *id = request_header(r, ID_HEADER);

	if (id)
		return e2b_box_name(id, out);
	return entry_name_of_host(r, out) ||
	       (!strcmp(r->path, "/files") && entry_has_signature(r) &&
		entry_name_of_signature(r, out));
}

/* -- admission ------------------------------------------------------------------------------- */

static bool entry_has_token(const struct request *r, const char *name)
{
	static const char *const headers[] = {"X-Access-Token", "E2B-Traffic-Access-Token"};
	char token[DIGEST_HEX];

	e2b_box_token(r->server, name, token);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		const char *said = request_header(r, headers[i]);

		if (said && strlen(said) == sizeof(token) - 1 &&
		    secret_is(said, token, sizeof(token) - 1))
			return true;
	}
	return false;
}

/* The first version of the SDKs sends no token with code, whatever it was given. */
static bool entry_is_open(const struct request *r, const struct e2b_box *b)
{
	const bool is_code = !strcmp(r->path, "/execute") || !strncmp(r->path, "/contexts", 9);

	return b && (b->is_open || (b->is_first_version && is_code));
}

void entry_refuse_gone(struct request *r)
{
	auto_buf struct buf body = {0};
	const char *id = request_header(r, ID_HEADER);

	json_put(&body, "{sandboxId:%s, message:'" GONE "', code:502}", id ? id : "");
	request_reply(r, 502, "application/json", &body);
}

/* A sandbox that this process does not know may have ended: without a proof it has. */
bool entry_admit(struct request *r)
{
	char name[HANDLE_BYTES];
	struct key *owner = NULL;
	const struct e2b_box *b;
	bool is_proven;

	if (!r->route || entry_is_control(r))
		return gate_admit(r);
	if (entry_name(r, name))
		owner = e2b_box_owner(r->server, name);
	if (!owner && entry_has_signature(r))
		return gate_admit_as(r, NULL, WANTS);
	b = owner ? e2b_box_find(r->server, name) : NULL;
	is_proven = owner &&
		    (entry_is_open(r, b) || entry_has_token(r, name) || entry_is_signed(r, name));
	if (b && !is_proven)
		return gate_admit_as(r, NULL, WANTS);
	/* One that stands still is not there for those who want to reach it. */
	if (!is_proven || (b && b->box.is_asleep)) {
		entry_refuse_gone(r);
		return false;
	}
	return gate_admit_as(r, owner, NULL);
}

/* -- its box --------------------------------------------------------------------------------- */

static void entry_refuse_box(struct session_work *w, const struct err *e)
{
	(void)e;
	entry_refuse_gone(w->request);
}

/* A session that this process did not begin: it is one if the supervisor has it. */
static bool entry_answer_met(struct session_work *w)
{
	const struct session_entry *session = box_session(w, w->name);
	struct request *r = w->request;
	struct e2b_box *b;

	if (!session) {
		entry_refuse_gone(r);
		return true;
	}
	b = e2b_box_meet(w->server, w->name, w->key);
	b->box.is_asleep = session->frozen;
	box_ages(&b->box, session->age_ms, session->ttl_ms);
	session_work_resume(w, NULL);
	if (b->box.is_asleep)
		entry_refuse_gone(r);
	else
		r->route->run(r);
	return true;
}

struct e2b_box *entry_box(struct request *r)
{
	char name[HANDLE_BYTES];
	struct session_work *w;
	struct e2b_box *b;

	if (!entry_name(r, name) || !e2b_box_owner(r->server, name)) {
		entry_refuse_gone(r);
		return NULL;
	}
	b = e2b_box_find(r->server, name);
	if (b)
		return b;
	w = session_work_named(r, name, NOTEBOOK_SESSIONS, entry_answer_met);
	w->refuse = entry_refuse_box;
	session_work_defer(w);
	session_work_start(w);
	return NULL;
}
