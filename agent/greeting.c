/*
 * greeting - tell a person, before the first task, the model and the directories that it sees.
 */
#include "agent/greeting.h"

#include <string.h>

#include "base/escape.h"
#include "base/say.h"
#include "fs/changes.h"

#define ENTRIES_MAX 1000 /* most entries that are counted */

static void greeting_put(const char *name, struct buf *out)
{
	escape_line(name, strlen(name), out);
}

static void greeting_put_count(int dir_fd, struct buf *out)
{
	struct file_marks files;

	changes_look(dir_fd, ENTRIES_MAX, &files);
	if (files.truncated)
		buf_text(out, " (many files)");
	else if (files.count)
		buf_printf(out, " (%zu file%s)", files.count, files.count == 1 ? "" : "s");
	else
		buf_text(out, " (empty)");
	changes_fini(&files);
}

/* Explain that /data is empty for want of a directory; false: there is one. */
static bool greeting_no_data(const struct agent_loop *l, struct buf *out)
{
	if (l->data_fd >= 0)
		return false;
	buf_text(out, "/data is empty, because there is no ");
	greeting_put(l->options->workspace, out);
	buf_text(out, " (\"--workspace .\" takes this directory)");
	return true;
}

void greeting_write(const struct agent_loop *l, struct buf *out)
{
	greeting_put(l->model_name, out);
	buf_text(out, "; ");
	if (!greeting_no_data(l, out)) {
		buf_text(out, "/data is ");
		greeting_put(l->options->workspace, out);
		greeting_put_count(l->data_fd, out);
	}
	buf_text(out, ", /output is ");
	greeting_put(l->options->output.text, out);
	buf_text(out, "; /help says more");
}

void greeting_warn(const struct agent_loop *l)
{
	auto_buf struct buf text = {0};

	if (!l->options->json && greeting_no_data(l, &text))
		say_warning(buf_string(&text));
}
