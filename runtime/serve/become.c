/*
 * become - switch from root to the ordinary user that serves.
 */
#include "serve/become.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"
#include "flags/serve_settings.h"

/* Accept a uid without an account, which has no home. */
static int become_look_up(const char *who, struct passwd *out, struct err *e)
{
	const struct passwd *pw = getpwnam(who);
	struct err ignored;
	int64_t number;

	if (!pw && !parse_int(who, 0, UINT32_MAX - 1, &number, &ignored)) {
		pw = getpwuid((uid_t)number);
		*out = (struct passwd){.pw_uid = (uid_t)number, .pw_gid = (gid_t)number};
	} else if (!pw) {
		return err_set(e, ERR_NOT_FOUND, "--as: there is no user \"%.100s\" here", who);
	}
	if (pw)
		*out = *pw;
	return 0;
}

static void become_set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* Variables that the server and its children read, apart from their settings. */
static const char *const become_kept[] = {
	"PATH",       "LANG",           "LANGUAGE",      "TZ", "TERM", "TMPDIR", "LISTEN_PID",
	"LISTEN_FDS", "LISTEN_FDNAMES", "JOURNAL_STREAM"};
static const char *const become_prefixes[] = {"GLOVEBOX_", "LC_"};

static bool become_is_named(const char *variable, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(variable, name, length) && variable[length] == '=';
}

static bool become_keeps(const char *variable)
{
	for (size_t i = 0; i < sizeof(become_prefixes) / sizeof(become_prefixes[0]); i++) {
		if (!strncmp(variable, become_prefixes[i], strlen(become_prefixes[i])))
			return true;
	}
	for (size_t i = 0; i < sizeof(become_kept) / sizeof(become_kept[0]); i++) {
		if (become_is_named(variable, become_kept[i]))
			return true;
	}
	for (const struct setting *row = serve_settings; row->name; row++) {
		if (row->variable && become_is_named(variable, row->variable))
			return true;
	}
	return false;
}

/* /proc/PID/environ keeps showing the initial environment: overwrite it. */
static void become_drop_environment(void)
{
	char **kept = environ;

	for (char **p = environ; p && *p; p++) {
		if (become_keeps(*p))
			*kept++ = *p;
		else
			explicit_bzero(*p, strlen(*p));
	}
	if (kept)
		*kept = NULL;
}

static void become_environment(const struct passwd *pw)
{
	char runtime[32];
	struct stat st;

	become_drop_environment();
	snprintf(runtime, sizeof(runtime), "/run/user/%u", pw->pw_uid);
	become_set("XDG_RUNTIME_DIR",
		   !stat(runtime, &st) && st.st_uid == pw->pw_uid ? runtime : NULL);
	become_set("HOME", pw->pw_dir);
	become_set("USER", pw->pw_name);
	become_set("LOGNAME", pw->pw_name);
}

int become_user(const char *who, struct err *e)
{
	struct passwd pw;

	if (!who)
		return 0;
	if (become_look_up(who, &pw, e))
		return -1;
	if (pw.pw_uid == geteuid())
		return 0;
	if (geteuid() != 0)
		return err_input(e, "--as %.100s: only root becomes somebody else", who);
	become_environment(&pw);
	if (setgroups(0, NULL) || setresgid(pw.pw_gid, pw.pw_gid, pw.pw_gid) ||
	    setresuid(pw.pw_uid, pw.pw_uid, pw.pw_uid))
		return err_sys(e, "--as: become %.100s", who);
	/*
	 * A change of ids clears the dumpable flag (prctl(2)), and nothing sets it again: no other
	 * process of the user reads our memory or takes a descriptor of ours. The supervisor is
	 * executed, so it is dumpable, as it must be to map ids.
	 */
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? err_sys(e, "become undumpable") : 0;
}
