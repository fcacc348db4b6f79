/*
 * glovebox-repl - `glovebox session repl`: a Python prompt on a session.
 *
 * It is a program of its own, because only it and the agent link a line editor.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/process.h"
#include "base/say.h"
#include "client/registry.h"
#include "flags/repl_settings.h"
#include "flags/setting_words.h"
#include "fs/trusted_path.h"
#include "image/image.h"
#include "repl/talk.h"
#include "service/notebook_wait.h"
#include "service/place.h"
#include "session/figures.h"
#include "session/session_spec.h"
#include "spec/policy.h"
#include "spec/run_settings.h"

#define EXIT_OURS 125

struct repl {
	struct repl_options options;
	const char *name; /* NULL: a session of its own */
	struct sandbox_spec spec;
	struct place place;
	struct buf formats;
	int figures_fd;
	int signal_fd;
};

static int main_fail(const struct err *e)
{
	say_error(e);
	return EXIT_OURS;
}

/* Refuse flags that are useless for an existing session, or for one that ends with us. */
static int main_check_given(const struct repl *r, const uint64_t *given, struct err *e)
{
	const struct setting *row = setting_next_given(run_settings, given, NULL);
	const char *name = row                      ? row->name
			   : r->options.image       ? "image"
			   : r->options.trust_image ? "trust-image"
			   : r->options.preload     ? "preload"
						    : NULL;

	if (r->name && name)
		return err_input(e, "--%s: the session %.60s is there already", name, r->name);
	if (r->spec.name)
		return err_input(e,
				 "--name: a session that stays is begun by glovebox session new "
				 "--name %.60s",
				 r->spec.name);
	return 0;
}

static int main_read_flags(struct repl *r, int argc, char **argv, struct err *e)
{
	uint64_t given[SETTING_GIVEN] = {0};
	struct settings settings = repl_all_settings(&r->spec, &r->options);
	int at;

	settings.tables[1].given = given;
	setting_defaults(&settings.tables[0], NULL);
	if (setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	if (argc - 1 - at > 1)
		return err_input(e, "session repl takes one NAME: \"%.100s\" is a second",
				 argv[at + 2]);
	r->name = argc - 1 > at ? argv[at + 1] : NULL;
	if (r->name && !*r->name)
		return err_input(e,
				 "the name of the session is empty; without a name it would be "
				 "one of its own");
	return main_check_given(r, given, e) || policy_apply_to_spec(&r->spec, e) ? -1 : 0;
}

static int main_open_place(struct repl *r, struct err *e)
{
	if (r->name) {
		place_open_kept(&r->place, r->name);
		return 0;
	}
	return session_spec_finish_own(&r->spec, r->options.image, e) ||
			       place_open_own(&r->place, &r->spec, r->options.preload,
					      r->options.trust_image, e)
		       ? -1
		       : 0;
}

static int main_open_figures(struct repl *r, struct err *e)
{
	if (figures_add_formats(r->options.formats, &r->formats, e))
		return -1;
	if (!r->options.figures.text)
		return 0;
	r->figures_fd = trusted_path_make(r->options.figures, LINKS_OF_SYSTEM, e);
	return r->figures_fd < 0 ? err_prefix(e, "--figures") : 0;
}

/* A name of no session may be meant as an image: suggest that. */
static int main_explain(const struct repl *r, struct err *e)
{
	if (!r->name || e->kind != ERR_NOT_FOUND ||
	    (strcmp(r->name, "host") != 0 && !image_exists(r->name)))
		return -1;
	return err_set(e, ERR_NOT_FOUND,
		       "there is no session %.60s; session repl --image %.60s begins one", r->name,
		       r->name);
}

/* Start the session, or check that it exists, before the user types. */
static int main_begin(struct repl *r, struct err *e)
{
	const struct notebook_request look = {.action = NOTEBOOK_LIFE, .name = r->name};
	const struct notebook_wait wait = {.signal_fd = r->signal_fd};
	struct notebook_result result = {0};

	if (r->place.warm.own)
		fputs("glovebox: starting a Python ...\n", stderr);
	if (place_start(&r->place, e) || (r->name && notebook_wait(&look, &wait, &result, e)))
		return main_explain(r, e);
	notebook_result_fini(&result);
	if (isatty(STDIN_FILENO) && r->name)
		fprintf(stderr,
			"Ctrl-C interrupts, Tab completes; Ctrl-D leaves the session, which "
			"stays\n");
	else if (isatty(STDIN_FILENO))
		fprintf(stderr, "Ctrl-C interrupts, Tab completes; Ctrl-D ends the session\n");
	return 0;
}

static int main_talk(struct repl *r, struct err *e)
{
	const struct talk talk = {.place = &r->place,
				  .signal_fd = r->signal_fd,
				  .figures_fd = r->figures_fd,
				  .timeout_ms = r->spec.limits.wall_time_ms,
				  .formats = buf_string(&r->formats)};

	return talk_run(&talk, e);
}

int main(int argc, char **argv)
{
	struct repl r = {.figures_fd = -1, .signal_fd = -1};
	struct err e;
	int status = -1;

	io_fill_standard();
	spec_init(&r.spec);
	place_open_kept(&r.place, NULL);
	/* Block signals before making a child. */
	if (!privileges_keep("session repl", "arguments", &e) &&
	    !main_read_flags(&r, argc, argv, &e) && !main_open_figures(&r, &e) &&
	    !process_signals(&r.signal_fd, &e) && !main_open_place(&r, &e))
		status = main_begin(&r, &e);
	if (!status) {
		auto_registration place = registry_enter_face("repl", r.spec.image, r.name);

		status = main_talk(&r, &e);
	}
	place_close(&r.place);
	spec_fini(&r.spec);
	buf_fini(&r.formats);
	own_close(&r.figures_fd);
	own_close(&r.signal_fd);
	return status < 0 ? main_fail(&e) : status;
}
