/*
 * session_checkpoint - `glovebox session checkpoint, rollback`: keep a state, and return to it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/process.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "client/client.h"
#include "client/session.h"
#include "client/threads.h"
#include "spec/setting_words.h"

#define WAIT_MS    60000
#define ANSWER_MAX (1u << 20)
#define OUTPUT_MAX (64u << 20)

static const struct sink ours[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};

struct checkpoint_options {
	bool json;
	bool force;
};

#define AT(field) offsetof(struct checkpoint_options, field)

/* clang-format off */
const struct setting session_checkpoint_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_CALL, SETTING_FLAG, AT(json), NULL, .help = "print one JSON object: which threads the checkpoint lacks"},
	SETTING_END,
};

const struct setting session_rollback_settings[] = {
	{"force", 0, NULL, GROUP_PROGRAM, FACE_CALL, SETTING_FLAG, AT(force), NULL, .help = "also to a checkpoint that was made beside threads of a library that cannot make them anew"},
	SETTING_END,
};
/* clang-format on */

/* Returns the index of the operands, or -1. */
static int session_checkpoint_read(int argc, char **argv, const struct setting *rows,
				   struct checkpoint_options *o, struct err *e)
{
	const struct settings settings = {.face = FACE_CALL,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{rows, o, NULL}},
					  .hint = ""};
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return -1;
	if (argc - used < 2 || argc - used > 3)
		return err_input(e, "session %s [FLAGS] NAME [CHECKPOINT]", argv[0]);
	return used + 1;
}

static int session_checkpoint_check_name(const char *name, struct err *e)
{
	if (strlen(name) >= SESSION_NAME_MAX)
		return err_input(e, "the name of a checkpoint has at most %d bytes",
				 SESSION_NAME_MAX - 1);
	if (!utf8_is_valid(name, strlen(name)))
		return err_input(e, "the name of a checkpoint is not UTF-8");
	return 0;
}

static void session_checkpoint_print(const char *name, const struct session_call *call)
{
	auto_buf struct buf line = {0};

	json_put_begin(&line, NULL, '{');
	json_put_text(&line, "name", name);
	json_put_uint(&line, "duration_ms", call->duration_us / 1000);
	threads_put(&call->answer, &line);
	json_put_end(&line, '}');
	puts(buf_string(&line));
}

/*
 * Stopping halfway would lose the session: the first signal waits for the end, the second does not.
 */
static int session_checkpoint_act(struct session *session, const char *name,
				  struct session_call *call,
				  int (*act)(struct session *, const char *, struct session_call *,
					     struct err *),
				  struct err *e)
{
	auto_fd int signal_fd = -1;
	int bad = process_signals(&signal_fd, e);

	call->signal_fd = signal_fd;
	return bad || act(session, name, call, e) ? -1 : 0;
}

static int session_checkpoint_with(int argc, char **argv, const struct setting *rows,
				   int (*act)(struct session *, const char *, struct session_call *,
					      struct err *))
{
	struct checkpoint_options o = {0};
	struct session_call call = {.timeout_ms = WAIT_MS,
				    .output_max = OUTPUT_MAX,
				    .answer_max = ANSWER_MAX,
				    .out = ours,
				    .patient = true};
	auto_fd int connection = -1;
	struct session session;
	struct err e;
	struct err ignored;
	int at = session_checkpoint_read(argc, argv, rows, &o, &e);
	const char *name = at >= 0 && argc - at == 2 ? argv[at + 1] : "default";
	int bad;

	if (at < 0 || session_checkpoint_check_name(name, &e) ||
	    client_borrow(NULL, argv[at], BORROW_STEPS, SESSION_WAIT_MS, &session, &connection, &e))
		return fail_with(&e);
	call.force = o.force;
	if (o.json) /* what its code prints at a fork is not JSON */
		call.out = NULL;
	bad = session_checkpoint_act(&session, name, &call, act, &e);
	if (call.lost)
		client_lose(NULL, &session, &call, &connection, &e);
	else
		(void)client_return(NULL, &session, false, &connection, &ignored);
	if (!bad && o.json)
		session_checkpoint_print(name, &call);
	if (!bad && !o.json)
		threads_warn(&call.answer);
	buf_fini(&call.answer);
	return bad ? fail_with(&e) : 0;
}

int session_checkpoint_command(int argc, char **argv)
{
	return session_checkpoint_with(argc, argv, session_checkpoint_settings, session_checkpoint);
}

int session_rollback_command(int argc, char **argv)
{
	return session_checkpoint_with(argc, argv, session_rollback_settings, session_rollback);
}
