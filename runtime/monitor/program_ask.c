/*
 * program_ask - the further programs of a sandbox that stays, as a client asks for them.
 */
#include "monitor/program_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/parse.h"
#include "base/process.h"
#include "monitor/ask.h"

#define LIST_PATIENCE_S 1 /* a list goes without what a monitor that is stopped does not tell */

static int program_ask_say_none(const char *name, const char *number, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND,
		       "No such exec instance: %.100s/%.30s: inspect %.100s lists those that there "
		       "are",
		       name, number, name);
}

static int program_ask_say_not_kept(const struct record *r, uint32_t number, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND,
		       "no output of %.100s/%u is kept: exec --detach --keep does that",
		       record_name(r), number);
}

/* Digits, without those that say nothing: a program has one name. */
static bool program_ask_parse(const char *text, uint32_t *out)
{
	struct err ignored;
	int64_t number;

	if (*text < '1' || *text > '9' || parse_int(text, 1, UINT32_MAX, &number, &ignored))
		return false;
	*out = (uint32_t)number;
	return true;
}

int program_find(const char *word, struct record *out, uint32_t *number, struct err *e)
{
	const char *slash = strrchr(word, '/');
	auto_free char *name = slash ? own_strndup(word, (size_t)(slash - word)) : NULL;

	*number = 0;
	if (record_find(slash ? name : word, out, e))
		return -1;
	if (!slash || program_ask_parse(slash + 1, number))
		return 0;
	record_fini(out);
	return program_ask_say_none(name, slash + 1, e);
}

int program_log(const struct record *r, uint32_t number, struct err *e)
{
	auto_free char *path = own_printf(RECORD_PROGRAMS "/%u", number);
	int fd = openat(r->dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	return errno == ENOENT ? program_ask_say_not_kept(r, number, e)
			       : err_sys(e, "open the log of %.100s/%u", record_name(r), number);
}

/* @out: its texts end with the call. Returns as ask_receive() does. */
static int program_ask_receive(int monitor, struct monitor_answer *out, struct err *e)
{
	struct wire_message m = {0};
	const int n = ask_receive(monitor, out, &m, e);

	wire_fini(&m);
	form_fini(&monitor_answer_form, out);
	return n;
}

int program_attach(const struct record *r, uint32_t number, struct monitor_answer *out,
		   struct err *e)
{
	const struct monitor_request request = {.op = "attach", .exec = number};
	auto_fd int monitor = ask_connect(r, e);
	int n;

	*out = (struct monitor_answer){0};
	if (monitor < 0 || ask_send(monitor, &request, e))
		return -1;
	n = program_ask_receive(monitor, out, e);
	if (n < 0)
		return -1;
	return n == 1 && out->exec ? take_fd(&monitor)
				   : err_set(e, ERR_GONE, "%.100s has ended", record_name(r));
}

static int program_ask_receive_end(const struct record *r, int monitor, struct monitor_answer *out,
				   struct err *e)
{
	const int n = out->ended ? 1 : program_ask_receive(monitor, out, e);

	if (n < 0)
		return -1;
	return n == 1 && out->exec ? 0 : err_set(e, ERR_GONE, "%.100s has ended", record_name(r));
}

int program_await_end(const struct record *r, uint32_t number, int *exit_code, struct err *e)
{
	struct monitor_answer answer;
	auto_fd int monitor = program_attach(r, number, &answer, e);

	if (monitor < 0)
		return -1;
	ask_set_patience(monitor, 0);
	if (program_ask_receive_end(r, monitor, &answer, e))
		return -1;
	*exit_code = process_exit_code((int)answer.status);
	return 0;
}

int program_signal(const struct record *r, uint32_t number, int signal, struct err *e)
{
	const struct monitor_request request = {.op = "signal", .number = (uint64_t)signal};
	struct monitor_answer answer;
	auto_fd int monitor = program_attach(r, number, &answer, e);

	if (monitor < 0)
		return -1;
	if (answer.ended)
		return err_set(e, ERR_GONE, "%.100s/%u is not running", record_name(r), number);
	if (ask_send(monitor, &request, e))
		return -1;
	return signal == SIGKILL ? program_ask_receive_end(r, monitor, &answer, e) : 0;
}

/* Returns the number of the last one; 0: there are no more; -1: *e. */
static int64_t program_ask_page(int monitor, uint64_t after,
				void (*tell)(void *context, const struct program_entry *entry),
				void *context, struct err *e)
{
	const struct monitor_request request = {.op = "programs", .exec = after};
	auto_json struct json *document = NULL;
	struct monitor_answer answer = {0};
	struct wire_message m = {0};
	const struct program_entry *entries;
	int64_t last = -1;

	if (!ask_send(monitor, &request, e) &&
	    ask_receive_texts(monitor, &answer, &m, &document, e) >= 0) {
		entries = answer.programs.items;
		last = 0;
		for (unsigned i = 0; i < answer.programs.count; i++) {
			tell(context, &entries[i]);
			last = (int64_t)entries[i].exec;
		}
	}
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	return last;
}

int program_each(const struct record *r,
		 void (*tell)(void *context, const struct program_entry *entry), void *context,
		 struct err *e)
{
	auto_fd int monitor = ask_connect(r, e);
	int64_t last = 0;

	if (monitor < 0)
		return -1;
	ask_set_patience(monitor, LIST_PATIENCE_S);
	do
		last = program_ask_page(monitor, (uint64_t)last, tell, context, e);
	while (last > 0);
	return last < 0 ? -1 : 0;
}
