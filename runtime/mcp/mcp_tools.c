/*
 * mcp_tools - the table of tools: how each works, and its description for clients and models.
 */
#include "mcp/mcp_tools.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "loop/clock.h"
#include "mcp/mcp_execute.h"
#include "mcp/mcp_files.h"
#include "mcp/mcp_reach.h"
#include "mcp/mcp_text.h"
#include "mcp_tools_file.h"

/* -- reset_session --------------------------------------------------------------------------- */

static int mcp_tools_read_reset(struct mcp_call *c, struct err *e)
{
	(void)e;
	c->work.action = NOTEBOOK_DROP;
	return 0;
}

/* A session that had ended before counts as reset. */
static void mcp_tools_reply_reset(struct mcp_call *c)
{
	const bool ended = c->session->is_begun && !c->result.failed;
	auto_buf struct buf text = {0};
	auto_buf struct buf out = {0};

	if (c->result.failed && !c->connection->is_lasting) {
		mcp_call_fail(c, &c->result.error);
		return;
	}
	if (c->result.failed && c->result.error.kind != ERR_GONE &&
	    c->result.error.kind != ERR_NOT_FOUND) {
		mcp_call_fail(c, &c->result.error);
		return;
	}
	mcp_session_forget(c->session, NULL);
	buf_text(&text, ended ? "The session has ended" : "There is no session");
	buf_text(&text, !c->connection->is_lasting ? ".\n"
			: ended                    ? "; the next call begins a new one.\n"
						   : "; the next call begins one.\n");
	mcp_result_begin(c->request, &out);
	json_put_begin(&out, "content", '[');
	mcp_text_put_block(&out, &text);
	json_put_end(&out, ']');
	if (c->request->version->has_schemas) {
		json_put_begin(&out, "structuredContent", '{');
		json_put_text(&out, "session", c->session->handle);
		json_put_bool(&out, "ended", ended);
		json_put_end(&out, '}');
	}
	json_put_bool(&out, "isError", false);
	json_put_end(&out, '}');
	mcp_call_finish(c, &out);
}

/* -- the table ------------------------------------------------------------------------------- */

#define ARGUMENTS(...)                                                                             \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, "session", NULL                                                       \
	}

static const char *const only_session[] = {"session", NULL};

/* clang-format off */
static const struct mcp_tool tools[] = {
	{"execute_python", ARGUMENTS("code", "timeout"), mcp_execute_read, mcp_execute_reply, .scans = true},
	{"reset_session", only_session, mcp_tools_read_reset, mcp_tools_reply_reset, .is_ending = true},
	{"list_files", ARGUMENTS("path"), mcp_files_list, mcp_files_reply_list, .scans = false},
	{"read_file", ARGUMENTS("path", "offset", "length"), mcp_files_get, mcp_files_reply_get, .scans = false},
	{"write_file", ARGUMENTS("path", "content", "encoding"), mcp_files_put, mcp_files_reply_put, .scans = true},
};
/* clang-format on */

const struct mcp_tool *mcp_tool_find(const char *name)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	}
	return NULL;
}

/* -- descriptions ---------------------------------------------------------------------------- */

struct word {
	const char *name;
	const char *value;
};

/* How a call names its session. */
#define OWN_TEXT                                                                                   \
	"name of a session: those of different names share nothing; it begins with its first "     \
	"call. Leave it out unless several are needed."
#define HOUSE_TEXT                                                                                 \
	"the session to go on in, as an earlier result has named it. Without it a new one "        \
	"begins, "                                                                                 \
	"with no variables and no files, and the result names it."

/* Replace the names between two "@" by this server's settings. */
static void mcp_tools_fill_in(const char *text, size_t length, const struct word *words,
			      struct buf *out)
{
	const char *end = text + length;

	while (text < end) {
		const char *at = memchr(text, '@', (size_t)(end - text));
		const char *behind = at ? memchr(at + 1, '@', (size_t)(end - at - 1)) : NULL;
		const struct word *w = words;

		if (!behind)
			break;
		buf_add(out, text, (size_t)(at - text));
		while (w->name && (strlen(w->name) != (size_t)(behind - at - 1) ||
				   strncmp(w->name, at + 1, strlen(w->name)) != 0))
			w++;
		buf_text(out, w->value);
		text = behind + 1;
	}
	buf_add(out, text, (size_t)(end - text));
}

static const char *mcp_tools_reach(const struct mcp_connection *connection, struct buf *out)
{
	mcp_reach_put(connection->backend, out);
	return buf_string(out);
}

static void mcp_tools_read(const struct mcp_connection *connection, struct buf *out)
{
	const struct mcp_options *o = &connection->backend->options;
	const uint64_t memory = connection->backend->terms.limits.memory_bytes;
	const uint64_t timeout_ms = clock_earlier(o->timeout_ms, o->timeout_max_ms);
	auto_free char *limit = memory == SPEC_UNLIMITED
					? own_strdup("no limit")
					: own_printf("%" PRIu64 " MiB", memory >> 20);
	auto_free char *timeout = own_printf("%g", (double)timeout_ms / 1000);
	auto_free char *timeout_max = own_printf("%g", (double)o->timeout_max_ms / 1000);
	auto_free char *output = own_printf("%" PRIu64, o->output_max);
	auto_buf struct buf reach = {0};
	const struct word words[] = {
		{"REACH", mcp_tools_reach(connection, &reach)},
		{"MEMORY",       limit                         },
		{"TIMEOUT",       timeout},
		{"TIMEOUT_MAX",       timeout_max                     },
		{"OUTPUT",       output    },
		{"SESSION",       connection->is_lasting ? OWN_TEXT : HOUSE_TEXT                    },
		{"WHICH",
		 connection->is_lasting ? "which; the usual one if it is left out" : "which"      },
		{"LENGTH",       connection->policy ? "64" : "32"                   },
		{"NEEDED",       connection->is_lasting ? "" : "\"session\""      },
		{"AND_NEEDED",       connection->is_lasting ? "" : ", \"session\""               },
		{NULL,       ""              },
	};

	mcp_tools_fill_in(files[0].bytes, files[0].length, words, out);
}

/* Whether a version has that member. */
static bool mcp_tools_has(const struct mcp_version *version, const char *key)
{
	if (!strcmp(key, "outputSchema") || !strcmp(key, "title"))
		return version->has_schemas;
	return strcmp(key, "annotations") != 0 || version->has_hints;
}

void mcp_tools_put(const struct mcp_connection *connection, const struct mcp_version *version,
		   struct buf *out)
{
	auto_json struct json *document = NULL;
	auto_buf struct buf text = {0};
	struct err e;

	mcp_tools_read(connection, &text);
	document = json_parse(buf_string(&text), text.length, &e);
	json_put_begin(out, "tools", '[');
	for (const struct json *t = document ? json_first(document) : NULL; t; t = json_next(t)) {
		json_put_begin(out, NULL, '{');
		for (const struct json *n = json_first(t); n; n = json_next(n)) {
			if (!mcp_tools_has(version, json_key(n)))
				continue;
			json_put_key(out, json_key(n));
			json_write(n, out);
		}
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}
