/*
 * refusal - word the refusal or failure of a server in one line with its remedy.
 */
#include "agent/server/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"

/* Texts of servers that would accept a smaller request. In any case of letters. */
static const struct {
	const char *text;
	enum model_failure why;
} known[] = {
	{"does not support tools",        MODEL_NO_TOOLS   },
	{"does not support thinking",     MODEL_NO_THINKING},
	{"does not support function",     MODEL_NO_TOOLS   },
	{"enable-auto-tool-choice",       MODEL_NO_TOOLS   }, /* vLLM */
	{"tools param requires",          MODEL_NO_TOOLS   }, /* llama.cpp without --jinja */
	{"tool calling is not supported", MODEL_NO_TOOLS   },
	{"reasoning_effort",              MODEL_NO_THINKING},
	{"chat_template_kwargs",          MODEL_NO_THINKING},
};

/* Texts for missing answers; printed behind the server's address. */
/* clang-format off */
static const struct {
	enum model_failure why;
	bool detailed; /* followed by the client's detail */
	const char *text;
} transport[] = {
	[HTTP_ANSWERED] = {MODEL_BROKEN,      true,  ""},
	[HTTP_NO_HOST]  = {MODEL_UNREACHABLE, false, "no address is known for this name"},
	[HTTP_NO_ROUTE] = {MODEL_UNREACHABLE, true,  "no connection: "},
	[HTTP_IDLE]     = {MODEL_BROKEN,      false, "the server sends and sends, and there is nothing in it: restart it, or name another with --url"},
	[HTTP_ENDLESS]  = {MODEL_BROKEN,      false, "the answer has no end: restart the server, or name another with --url"},
	[HTTP_HEADERS]  = {MODEL_BROKEN,      false, "the headers of the answer have no end: is this a server of models? --url says where one is"},
	[HTTP_DROPPED]  = {MODEL_BROKEN,      false, "the connection ended before the answer did"},
	[HTTP_TAKEN]    = {MODEL_BROKEN,      true,  ""},
	[HTTP_NO_TRUST] = {MODEL_BROKEN,     true,  "its certificate is not trusted; --server-ca names a file (PEM) of certificates that are: "},
	[HTTP_FAILED]   = {MODEL_BROKEN,      true,  ""},
};
/* clang-format on */

static int refusal_nobody_listens(const struct server *s, struct err *e)
{
	if (s->kind == SERVER_OPENAI)
		return err_set(e, ERR_SYSTEM,
			       "no server at %s: start it, or say where it is with --url",
			       s->url.base);
	return err_set(
		e, ERR_SYSTEM,
		"no server at %s: start it with `ollama serve`, or say where it is with --url%s",
		s->url.base,
		s->url.port_80 ? " (http:// without a port means port 80, Ollama's is 11434)" : "");
}

int refusal_of_transport(const struct server *s, const struct http_answer *answer,
			 enum model_failure *why, struct err *e)
{
	const char *detail = answer->detail;

	if (!*detail)
		detail = answer->outcome == HTTP_NO_TRUST ? "that file holds none" : "not HTTP";
	if (answer->outcome == HTTP_REFUSED) {
		*why = MODEL_UNREACHABLE;
		return refusal_nobody_listens(s, e);
	}
	if (answer->outcome == HTTP_CANCELLED) {
		*why = MODEL_CANCELLED;
		return err_set(e, ERR_SYSTEM, "cancelled");
	}
	if (answer->outcome == HTTP_STALLED) {
		*why = MODEL_BROKEN;
		return err_set(
			e, ERR_SYSTEM,
			"%s: the server said nothing for %llu s: restart it, or name another "
			"model with --model",
			s->url.base, (unsigned long long)(s->stall_ms + 999) / 1000);
	}
	*why = transport[answer->outcome].why;
	return err_set(e, ERR_SYSTEM, "%s: %s%.256s", s->url.base, transport[answer->outcome].text,
		       transport[answer->outcome].detailed ? detail : "");
}

const char *refusal_text(const struct json *document)
{
	const struct json *error = json_get(document, "error");
	const struct json *message = error ? json_get(error, "message") : NULL;

	if (!error)
		return NULL;
	if (message && json_string(message))
		return json_string(message);
	return json_string(error) ? json_string(error) : "an error without a text";
}

/* Take one line of an error body that is not JSON: the title of HTML, else its beginning. */
static void refusal_first_words(const char *body, char *out, size_t size)
{
	const char *start = strcasestr(body, "<title>");

	start = start ? start + 7 : body + strspn(body, " \t\r\n");
	if (*start == '<')
		start = "an HTML page";
	snprintf(out, size, "%.*s", (int)strcspn(start, "<\r\n"), start);
}

static void refusal_read_body(const struct http_answer *answer, char *out, size_t size)
{
	const char *body = buf_string(&answer->error_body);
	struct err ignored;
	auto_json struct json *document = json_parse(body, answer->error_body.length, &ignored);
	const char *text = document ? refusal_text(document) : NULL;
	const char *url = document ? json_string_at(document, "signin_url") : NULL;

	if (text && url)
		snprintf(out, size, "%.300s: sign in at %.300s", text, url);
	else if (text)
		snprintf(out, size, "%s", text);
	else
		refusal_first_words(body, out, size);
}

/* Return the length without ":latest"; a colon before a slash belongs to a port. */
static size_t refusal_bare_length(const char *name)
{
	size_t length = strlen(name);

	return length > 7 && !strcasecmp(name + length - 7, ":latest") ? length - 7 : length;
}

bool model_same(const char *a, const char *b)
{
	size_t length = refusal_bare_length(a);

	return length == refusal_bare_length(b) && !strncasecmp(a, b, length);
}

/* List as many names as fit, separated by commas; "nothing" or "unknown". */
static void refusal_name_installed(struct server *s, char *out, size_t size)
{
	const char *path = s->kind == SERVER_OLLAMA ? "/api/tags" : "/v1/models";
	const char *member = s->kind == SERVER_OLLAMA ? "models" : "data";
	struct json *fetched = NULL;
	enum model_failure ignored;
	struct err e;
	size_t used = 0;

	snprintf(out, size, "unknown");
	if (server_fetch(s, path, NULL, NULL, NULL, &fetched, &ignored, &e))
		return;
	snprintf(out, size, "nothing");
	for (const struct json *n = json_first(json_get(fetched, member)); n; n = json_next(n)) {
		const char *name = json_string_at(n, json_get(n, "name") ? "name" : "id");
		size_t left = size - used;

		if (!name || !*name)
			continue;
		if (strlen(name) + sizeof(", ...") + 2 > left) {
			snprintf(out + used, left, "%s...", used ? ", " : "");
			break;
		}
		used += (size_t)snprintf(out + used, left, "%s%s", used ? ", " : "", name);
	}
	json_free(fetched);
}

static int refusal_missing(struct server *s, const char *model, enum model_failure *why,
			   struct err *e)
{
	char there[250];

	refusal_name_installed(s, there, sizeof(there));
	*why = MODEL_MISSING;
	if (s->kind == SERVER_OPENAI)
		return err_set(e, ERR_NOT_FOUND, "%s has no model \"%.80s\"; it has: %s",
			       s->url.base, model, there);
	if (model_same(model, TUNED_MODEL))
		return err_set(e, ERR_NOT_FOUND,
			       "model \"" TUNED_MODEL
			       "\" is not made yet: `glovebox agent setup`, "
			       "or --model with one that is installed: %s",
			       there);
	return err_set(e, ERR_NOT_FOUND,
		       "model \"%.80s\" is not installed: `ollama pull %.80s`; installed: %s",
		       model, model, there);
}

static bool refusal_find_known(const char *text, enum model_failure *why)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcasestr(text, known[i].text)) {
			*why = known[i].why;
			return true;
		}
	}
	return false;
}

int refusal_of_stream(struct server *s, const char *text, const char *model,
		      enum model_failure *why, struct err *e)
{
	if (!refusal_find_known(text, why))
		*why = MODEL_BROKEN;
	return err_set(e, ERR_SYSTEM, "%s: %s%s%.350s", s->url.base, model ? model : "",
		       model ? ": " : "", text);
}

/*
 * Servers report a missing model in JSON; an answer about a missing path does not name the model.
 */
static bool refusal_model_is_missing(const char *text, const char *model)
{
	return model && (strcasestr(text, "not found") || strcasestr(text, "does not exist")) &&
	       (strcasestr(text, "model") || strcasestr(text, model)) &&
	       !strcasestr(text, "page not");
}

int refusal_of_status(struct server *s, const struct http_answer *answer, const char *path,
		      const char *model, enum model_failure *why, struct err *e)
{
	const char *url = s->url.base;
	char text[700];
	const char *said = text;

	refusal_read_body(answer, text, sizeof(text));
	if (strtol(text, NULL, 10) == answer->status) /* "404 page not found" */
		said += strspn(text, "0123456789 ");
	if (answer->status == 404 && refusal_model_is_missing(text, model))
		return refusal_missing(s, model, why, e);
	if (answer->status == 404 || answer->status == 405) {
		*why = MODEL_BROKEN;
		return err_set(e, ERR_SYSTEM, "%s has no %s (%ld%s%.100s): %s", url, path,
			       answer->status, said[0] ? " " : "", said, s->if_no_path);
	}
	if (answer->status == 503) {
		*why = MODEL_BUSY;
		return err_set(e, ERR_SYSTEM, "%s is busy: %.300s", url, text[0] ? text : "503");
	}
	if (refusal_find_known(text, why))
		return err_set(e, ERR_SYSTEM, "%s: %.350s", url, text);
	*why = MODEL_BROKEN;
	if (answer->location[0])
		return err_set(e, ERR_SYSTEM, "%s redirects to %.200s: give its address with --url",
			       url, answer->location);
	if (answer->status == 401 || answer->status == 403)
		return err_set(
			e, ERR_DENIED, "%s refuses us (%ld): %.300s", url, answer->status,
			text[0] ? text
			: answer->status == 403
				? "it may allow other host names only (OLLAMA_HOST, OLLAMA_ORIGINS)"
				: "an API key is needed");
	return err_set(e, ERR_SYSTEM, "%s: %ld: %.350s", url, answer->status,
		       text[0] ? text : "nothing else was said");
}
