/*
 * wish - what a client of E2B's API asks of a new sandbox.
 */
#include "e2b/wish.h"

#include <string.h>

#include "e2b/e2b_box.h"
#include "request/server.h"
#include "request/terms.h"

/* Refuse members that would have no effect here. */
static int wish_check(const struct json *body, struct err *e)
{
	static const char *const refused[] = {"autoPause", "autoResume", "mcp", "iam",
					      "volumeMounts"};

	if (json_get(body, "templateID") && !json_string_at(body, "templateID"))
		return err_input(e, "templateID: a text is needed");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct json *member = json_get(body, refused[i]);
		const bool is_off =
			json_is_bool(member) ? !json_is_true(member) : !json_count(member);

		if (member && !is_off)
			return err_set(e, ERR_UNSUPPORTED, "%s: not served here", refused[i]);
	}
	return 0;
}

/* A wish for a network that is not understood must not become a larger one. */
static int wish_check_network(const struct json *network, struct err *e)
{
	if (network && !json_is_object(network))
		return err_input(e, "network: an object is needed");
	for (const struct json *n = json_first(network); n; n = json_next(n)) {
		const bool is_list = !strcmp(json_key(n), "allowOut") && json_is_array(n);

		if (!is_list && !json_is_null(n))
			return err_set(
				e, ERR_UNSUPPORTED,
				"network.%.40s: not served here; allowOut is a list of hosts",
				json_key(n));
	}
	return 0;
}

/* A network is asked for by default: it is what the key's ceiling names. */
static int wish_reach(struct session_work *w, const struct json *body, struct err *e)
{
	const struct json *internet = json_get(body, "allow_internet_access");
	const struct json *hosts = json_get(json_get(body, "network"), "allowOut");

	if (wish_check_network(json_get(body, "network"), e))
		return -1;
	if (internet && !json_is_true(internet))
		return 0;
	return hosts ? terms_reach(w->request, hosts, &w->terms, e)
		     : terms_reach_all(w->request, &w->terms, e);
}

/* They are set for each call and program: a warm Python has read some of them already. */
static int wish_check_env(const struct json *body, struct err *e)
{
	auto_list struct list env = {0};

	return e2b_box_read_env(&env, json_get(body, "envVars"), e);
}

int wish_plan(struct session_work *w, const struct json *body, struct err *e)
{
	static const char *const names[] = {"", "base", "code-interpreter-v1", "code-interpreter",
					    NULL};
	struct sandbox_spec *spec = &w->terms;

	if (!box_is_template(w->server, json_text_at(body, "templateID"), names))
		return err_set(e, ERR_NOT_FOUND,
			       "template '%.100s' not found: this server has base, "
			       "code-interpreter-v1 and %.100s",
			       json_text_at(body, "templateID"), w->server->image);
	if (wish_check(body, e) || box_check_metadata(json_get(body, "metadata"), e) ||
	    terms_read(w->request, NULL, spec, e) || wish_reach(w, body, e) ||
	    wish_check_env(body, e))
		return -1;
	return box_plan(w, E2B_BOX_HOME, e);
}
