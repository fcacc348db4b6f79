/*
 * gate - authenticate a request, and check where it comes from.
 */
#include "request/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "request/server.h"
#include "tenant/keys.h"

static bool gate_refuse_origin(struct request *r)
{
	const struct origin_request asked = {.listen = request_listen(r),
					     .method = r->method,
					     .host = request_header(r, "Host"),
					     .origin = request_header(r, "Origin")};
	const char *cors = NULL;
	struct err e;

	if (origin_check(&r->server->origin, &asked, &cors, &e)) {
		request_refuse(r, e.kind == ERR_INPUT ? 400 : 403, "%s", e.text);
		return true;
	}
	if (!cors)
		return false;
	request_set_header(r, "Access-Control-Allow-Origin", cors);
	request_set_header(r, "Access-Control-Expose-Headers",
			   "Content-Disposition, Mcp-Session-Id, Retry-After, "
			   "X-Left-Out, X-Request-ID");
	request_set_header(r, "Vary", "Origin");
	if (!strcmp(r->method, "OPTIONS")) {
		request_set_header(r, "Access-Control-Allow-Methods",
				   "GET, POST, PUT, PATCH, DELETE");
		request_set_header(r, "Access-Control-Allow-Headers",
				   "Authorization, Content-Type, X-Request-ID, "
				   "X-API-Key, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, "
				   "Mcp-Name");
	}
	return false;
}

/* X-API-Key is where clients of other APIs have it. */
static struct key *gate_find_key(const struct request *r)
{
	const char *bare = request_header(r, "X-API-Key");

	if (!r->server->options.keys)
		return r->server->local;
	if (!request_header(r, "Authorization") && bare)
		return keys_find(&r->server->keys, bare, strlen(bare));
	return keys_find_bearer(&r->server->keys, request_header(r, "Authorization"));
}

void gate_advise(struct request *r, uint64_t seconds)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, seconds);
	request_set_header(r, "Retry-After", text);
}

static bool gate_refuse_rate(struct request *r)
{
	uint64_t seconds = 1;
	struct err e;

	if (!quota_count_request(r->key, monotonic_us(), &seconds, &e))
		return false;
	gate_advise(r, seconds);
	request_refuse(r, 429, "%s", e.text);
	return true;
}

static void gate_say_ending(struct request *r)
{
	gate_advise(r, r->server->options.retry_s);
	request_refuse(r, 503, GATE_ENDING);
}

static void gate_ask_for_key(struct request *r, const char *why)
{
	request_set_header(r, "WWW-Authenticate", "Bearer");
	request_refuse(r, 401, "%s", why);
}

/* While draining, kept-alive connections may still bring requests. */
static bool gate_refuse_late(struct request *r)
{
	if (r->server->is_draining)
		gate_say_ending(r);
	return r->server->is_draining;
}

void gate_dismiss(struct request *r)
{
	request_close(r);
	if (r->key && r->key->removed)
		gate_ask_for_key(r, "this key was removed");
	else
		gate_say_ending(r);
}

void gate_turn_away(struct request *r)
{
	gate_advise(r, r->server->options.retry_s);
	request_refuse(r, 429, "too many bytes of this key are on their way");
}

/* Charge the connection to the request's key until the request is answered. */
static bool gate_refuse_crowd(struct request *r)
{
	if (flight_take(&r->server->flights, &r->key->flight, FLIGHT_CONNECTIONS, 1)) {
		r->payer = &r->key->flight;
		return false;
	}
	gate_advise(r, r->server->options.retry_s);
	request_refuse(r, 429, "too many connections of this key");
	return true;
}

bool gate_admit_as(struct request *r, struct key *key, const char *why)
{
	if (gate_refuse_origin(r))
		return false;
	if (!r->route || r->route->is_open)
		return true;
	r->key = key;
	if (key) {
		key_hold(key);
		return !gate_refuse_late(r) && !gate_refuse_rate(r) && !gate_refuse_crowd(r);
	}
	gate_ask_for_key(r, why);
	return false;
}

bool gate_admit(struct request *r)
{
	const bool has_key = request_header(r, "Authorization") || request_header(r, "X-API-Key");
	const bool wants_key = r->route && !r->route->is_open;

	return gate_admit_as(
		r, wants_key ? gate_find_key(r) : NULL,
		has_key ? "this key is not known here: a server reads new ones at SIGHUP"
			: "this needs a key: Authorization: Bearer gbx_..., or X-API-Key");
}

void gate_forget(struct request *r)
{
	if (r->payer)
		flight_give(&r->server->flights, r->payer, FLIGHT_CONNECTIONS, 1);
	r->payer = NULL;
	if (r->key)
		key_release(r->key);
	r->key = NULL;
}

void gate_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	json_put_begin(body, NULL, '{');
	json_put_bytes(body, "detail", text, length);
	json_put_end(body, '}');
}
