/*
 * unit - `generate unit`: a unit of systemd that starts a sandbox that stays, and starts it again.
 *
 * It names the sandbox by its id, so that it holds after a rename; `start --attach` is in the
 * foreground, and exits as the sandbox does. It has no Delegate=: an ordinary user's monitor has
 * itself moved to a scope (cli/scope.h), and root's groups are their own.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/own.h"
#include "base/parse.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/words.h"
#include "client/program_path.h"
#include "container/kill.h"
#include "container/named.h"
#include "fs/state_dir.h"
#include "record/record.h"
#include "spec/run_settings.h"

#define GRACE_S 10                /* docker's, where no --stop-timeout was given */
#define END_S   (KILL_END_S + 10) /* longer than `stop` waits */

struct unit_options {
	const char *said;    /* docker's word */
	const char *restart; /* systemd's */
	int64_t retries;     /* of on-failure; -1: without end */
};

struct unit_end {
	uint64_t grace_s; /* in which it ends by itself */
	int signal;       /* by which it is asked to */
};

static int unit_parse_restart(void *options, const char *value, struct err *e)
{
	struct unit_options *o = options;
	const char *colon = strchr(value, ':');

	o->said = value;
	o->retries = -1;
	if (!strcmp(value, "no"))
		o->restart = "no";
	else if (!strcmp(value, "always") || !strcmp(value, "unless-stopped"))
		o->restart = "always";
	else if (!strncmp(value, "on-failure", 10) && (!value[10] || colon == value + 10))
		o->restart = "on-failure";
	else
		return err_input(e,
				 "\"%.100s\" is not a policy: no, on-failure[:COUNT], always and "
				 "unless-stopped are",
				 value);
	return colon && parse_int(colon + 1, 1, 1000000, &o->retries, e)
		       ? err_prefix(e, "%.100s", value)
		       : 0;
}

/* clang-format off */
const struct setting unit_settings[] = {
	{"restart", 0, "POLICY", GROUP_PROGRAM, FACE_RUN, SETTING_OWN, 0, "on-failure", .parse = unit_parse_restart, .choices = "no|on-failure|always|unless-stopped", .help = "as docker's: no, on-failure[:COUNT], always, unless-stopped"},
	SETTING_END,
};
/* clang-format on */

/* -- what it says ---------------------------------------------------------------------------- */

/* In quotes, as systemd.syntax(7) reads them; a % would begin a specifier. */
static void unit_add_quoted(const char *text, struct buf *out)
{
	buf_text(out, "\"");
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (*p == '\n')
			buf_text(out, "\\n");
		else
			buf_printf(out, "%c%s", *p, *p == '%' ? "%" : "");
	}
	buf_text(out, "\"");
}

/* Variables that say where records and images are. */
static void unit_add_environment(struct buf *out)
{
	static const char *const names[] = {"XDG_STATE_HOME", "GLOVEBOX_IMAGES", "GLOVEBOX_CGROUP"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);
		auto_free char *word = own_printf("%s=%s", names[i], value ? value : "");

		if (!value || !*value)
			continue;
		buf_text(out, "Environment=");
		unit_add_quoted(word, out);
		buf_text(out, "\n");
	}
}

static void unit_add_head(const struct record *r, const struct unit_options *o, const char *state,
			  struct buf *out)
{
	const bool root = geteuid() == 0;
	const char *name = record_name(r);

	buf_printf(out,
		   "# It starts the sandbox %s, and again as Restart= says:\n"
		   "#     glovebox generate unit --restart %s %s > %s/glovebox-%s.service\n"
		   "#     systemctl %sdaemon-reload && systemctl %senable --now glovebox-%s\n",
		   name, o->said, name, root ? "/etc/systemd/system" : "~/.config/systemd/user",
		   name, root ? "" : "--user ", root ? "" : "--user ", name);
	if (!root)
		buf_text(out, "#     loginctl enable-linger     # without a login, too\n");
	buf_printf(out,
		   "[Unit]\nDescription=Sandbox %s of glovebox\nDocumentation=man:glovebox(1)\n"
		   "ConditionPathExists=",
		   name);
	for (const char *p = state; *p; p++)
		buf_printf(out, "%c%s", *p, *p == '%' ? "%" : "");
	buf_printf(out, "/" RECORD_FOLDER "/%s\n", r->id);
	if (o->retries > 0) /* the first start counts as well */
		buf_printf(out, "StartLimitIntervalSec=infinity\nStartLimitBurst=%lld\n",
			   (long long)o->retries + 1);
	else
		buf_text(out, "StartLimitIntervalSec=0\n");
}

static void unit_add_service(const struct record *r, const struct unit_options *o,
			     const char *program, const struct unit_end *end, struct buf *out)
{
	buf_text(out, "\n[Service]\nType=exec\n");
	unit_add_environment(out);
	buf_text(out, "ExecStart=");
	unit_add_quoted(program, out);
	/* `stop` succeeds as well once the program has ended by itself. */
	buf_printf(out, " start --attach %s\nExecStop=", r->id);
	unit_add_quoted(program, out);
	buf_printf(out,
		   " stop --time %llu %s\nTimeoutStopSec=%llu\nSuccessExitStatus=%d\nRestart=%s\n"
		   "RestartSec=1\n",
		   (unsigned long long)end->grace_s, r->id,
		   (unsigned long long)end->grace_s + END_S, 128 + end->signal, o->restart);
	buf_printf(out, "\n[Install]\nWantedBy=%s.target\n", geteuid() ? "default" : "multi-user");
}

/* -- whether it can be ----------------------------------------------------------------------- */

/* A line of a unit ends with a newline and with a carriage return. */
static int unit_check_text(const char *what, const char *text, struct err *e)
{
	for (const char *p = text; p && *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return err_input(e, "%s has a control character, which no unit can name",
					 what);
	}
	return 0;
}

/* A unit must not promise what `start` would refuse. */
static int unit_check(const struct record *r, const struct sandbox_spec *spec, struct err *e)
{
	if (spec->remove)
		return err_input(e,
				 "%.100s was made with --rm, and is gone at its end: make it "
				 "without",
				 record_name(r));
	if (spec->code_file && !strcmp(spec->code_file, "-"))
		return err_input(e,
				 "%.100s had its code from standard input, which is gone: --code "
				 "FILE can be read again",
				 record_name(r));
	return 0;
}

/* Read its command line as `start` does. */
static int unit_read(const struct record *r, struct unit_end *out, struct err *e)
{
	auto_list struct list words = {0};
	struct presentation show = {0};
	struct sandbox_spec spec;
	int bad;

	spec_init(&spec);
	bad = start_parse(r, NULL, &words, &spec, &show, e) || unit_check(r, &spec, e);
	*out = (struct unit_end){GRACE_S, spec.stop_signal};
	if (setting_given(run_settings, spec.given, "stop-timeout"))
		out->grace_s = (spec.stop_timeout_ms + 999) / 1000;
	presentation_fini(&show);
	spec_fini(&spec);
	return bad ? -1 : 0;
}

int generate_unit(int argc, char **argv)
{
	struct unit_options o = {.said = "on-failure", .restart = "on-failure", .retries = -1};
	auto_record struct record r = {.dir = -1};
	auto_free char *state = NULL;
	auto_buf struct buf out = {0};
	char program[PROGRAM_PATH_SIZE];
	struct unit_end end;
	struct err e;
	int at;

	argv[0] = (char *)"generate unit";
	at = words_read(argc, argv, unit_settings, &o, 1, 1, &e);
	if (at < 0)
		return fail_with_help(&e, argv[0]);
	if (named_find("generate", argv[at], &r, &e) || !(state = state_dir(true, &e)) ||
	    unit_read(&r, &end, &e))
		return fail_with(&e);
	if (program_path(program)) {
		err_sys(&e, "find the program glovebox");
		return fail_with(&e);
	}
	if (unit_check_text("the path of glovebox", program, &e) ||
	    unit_check_text("the directory of state (XDG_STATE_HOME)", state, &e) ||
	    unit_check_text("GLOVEBOX_IMAGES", getenv("GLOVEBOX_IMAGES"), &e) ||
	    unit_check_text("GLOVEBOX_CGROUP", getenv("GLOVEBOX_CGROUP"), &e))
		return fail_with(&e);
	unit_add_head(&r, &o, state, &out);
	unit_add_service(&r, &o, program, &end, &out);
	fputs(buf_string(&out), stdout);
	return 0;
}
