/*
 * exec_result - what a program of LibreChat's has printed and left.
 *
 * A file that it leaves or changes is a new one in a new storage session. Those that it was given
 * and left alone are not named again: older clients would take them for new ones.
 */
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "librechat/exec.h"
#include "request/execute_result.h"

const char *exec_result_message(const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_WALL_TIME:
		return "Time limit exceeded";
	case VERDICT_MEMORY:
		return "Out of memory";
	case VERDICT_EXITED:
	case VERDICT_OUTPUT:
		return v->truncated[0]   ? "stdout length exceeded"
		       : v->truncated[1] ? "stderr length exceeded"
					 : NULL;
	default:
		return verdict_name(v->kind);
	}
}

static void exec_result_put_file(const char *id, const char *session, const char *name,
				 struct buf *out)
{
	char short_id[STORED_ID_SIZE];

	stored_id_of(id, short_id);
	json_put(out, "id:%s, session_id:%s, storage_session_id:%s", short_id, session, session);
	json_put_name(out, "name", name);
}

/* The index of a path among the files that it was given; their count: it was not. */
static size_t exec_result_given(const struct exec *x, const char *path)
{
	const struct staging *given = &x->run.staging;
	size_t i = 0;

	while (i < given->count && strcmp(given->files[i].path, path) != 0)
		i++;
	return i;
}

static void exec_result_put_left(const struct exec *x, const char *session, struct buf *out)
{
	const struct outputs *o = &x->run.outputs;
	const struct staging *given = &x->run.staging;

	for (size_t i = 0; i < o->next; i++) {
		const char *path = o->collected->files[i].path;
		const size_t before = exec_result_given(x, path);
		char from[STORED_ID_SIZE];
		char from_session[STORED_ID_SIZE];

		if (!*o->ids[i] || !exec_files_is_name(path))
			continue;
		json_put_begin(out, NULL, '{');
		exec_result_put_file(o->ids[i], session, path, out);
		if (before < given->count &&
		    stored_id_session(&given->stored[before], from_session)) {
			stored_id_of(given->stored[before].id, from);
			json_put(out, "modified_from:{id:%s, storage_session_id:%s}", from,
				 from_session);
		}
		json_put_end(out, '}');
	}
}

static size_t exec_result_lost(const struct outputs *o)
{
	size_t count;

	if (!o->collected)
		return 0;
	count = o->collected->refused;
	for (size_t i = 0; i < o->next; i++)
		count += !*o->ids[i] || !exec_files_is_name(o->collected->files[i].path);
	return count;
}

/* Clients show their users standard output and error alone, so what went wrong stands there. */
static void exec_result_put_output(struct exec *x, const char *message, struct buf *out)
{
	const struct verdict *v = &x->run.result.verdict;
	struct buf *text = x->run.out;
	const size_t lost = exec_result_lost(&x->run.outputs);

	for (int i = 0; i < 2; i++)
		execute_result_mark_cut(&text[i], v->truncated[i],
					x->run.terms.limits.output_bytes);
	if (message)
		buf_printf(&text[1], "%s%s\n", text[1].length ? "\n" : "", message);
	if (lost)
		buf_text(&text[1],
			 "some of /mnt/data could not be kept: only files are, with plain "
			 "names, and within the key's quota\n");
	json_put_bytes(out, "stdout", text[0].data, text[0].length);
	json_put_bytes(out, "stderr", text[1].data, text[1].length);
}

void exec_result_put(struct exec *x, const char *message, struct buf *out)
{
	auto_free char *session = own_strndup(x->folder, STORED_ID_SIZE - 1);

	json_put_text(out, "session_id", session);
	exec_result_put_output(x, message, out);
	json_put_begin(out, "files", '[');
	exec_result_put_left(x, session, out);
	json_put_end(out, ']');
}
