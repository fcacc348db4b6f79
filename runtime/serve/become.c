/*
 * become - from root to the ordinary user that serves.
 */
#include "serve/become.h"

#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"

/* A number that no name belongs to is a user, too, but one without a home. */
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

static void become_environment(const struct passwd *pw)
{
	static const char *const of_root[] = {"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
					      "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"};
	char runtime[32];
	struct stat st;

	for (size_t i = 0; i < sizeof(of_root) / sizeof(of_root[0]); i++)
		unsetenv(of_root[i]);
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
	 * Who has changed his ids is not dumpable (prctl(2)), and his /proc/self is root's, where
	 * the maps of user namespaces are written. We have not read anything of root's yet.
	 */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
		return err_sys(e, "become dumpable");
	return 0;
}
