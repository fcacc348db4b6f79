/*
 * session_checkpoint - `glovebox session checkpoint, rollback`: keep a state, and return to it.
 */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json_put.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "flags/setting_words.h"
#include "service/notebook_wait.h"
#include "session/threads.h"

#define OUTPUT_MAX (64u << 20)

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
static int session_checkpoint_with(int argc, char **argv, const struct setting *rows,
				   enum notebook_action action)
{
	const struct notebook_wait wait = {
		.signal_fd = -1, .catches_signals = true, .waits = session_say_waits};
	struct checkpoint_options o = {0};
	struct notebook_request request = {
		.action = action, .call.out = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}}
        };
	struct notebook_result result = {0};
	struct err e;
	int at = session_checkpoint_read(argc, argv, rows, &o, &e);
	int bad = at < 0;

	if (!bad) {
		request.name = argv[at];
		request.checkpoint = argc - at == 2 ? argv[at + 1] : "default";
		request.force = o.force;
		if (!o.json) /* what its code prints at a fork is not JSON */
			request.call.output_max = OUTPUT_MAX;
		bad = notebook_wait(&request, &wait, &result, &e);
	}
	if (!bad && o.json)
		session_checkpoint_print(request.checkpoint, &result.call);
	if (!bad && !o.json)
		threads_warn(&result.call.answer);
	notebook_result_fini(&result);
	return bad ? fail_with(&e) : 0;
}

int session_checkpoint_command(int argc, char **argv)
{
	return session_checkpoint_with(argc, argv, session_checkpoint_settings,
				       NOTEBOOK_CHECKPOINT);
}

int session_rollback_command(int argc, char **argv)
{
	return session_checkpoint_with(argc, argv, session_rollback_settings, NOTEBOOK_ROLLBACK);
}
