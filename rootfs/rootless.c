/*
 * rootless - can an ordinary user build a Debian root here?
 */
#include "rootless.h"

#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/parse.h"

#define IDS_MIN        65536
#define FILE_MAX_BYTES (1u << 20)

/* Does a line "NAME:START:COUNT" of /etc/subuid give this user enough ids? */
static bool has_range(const char *path, const char *name, const char *uid)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	char *save = NULL;

	if (io_read_file(AT_FDCWD, path, FILE_MAX_BYTES, &text, &ignored) || !text.length)
		return false;
	for (char *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		size_t length = strcspn(line, ":");
		const char *count = strrchr(line, ':');
		bool mine = (strlen(name) == length && !strncmp(line, name, length)) ||
			    (strlen(uid) == length && !strncmp(line, uid, length));
		int64_t n;

		if (mine && !parse_int(count + 1, 0, UINT32_MAX, &n, &ignored) && n >= IDS_MIN)
			return true;
	}
	return false;
}

/* A child tries, so that this process stays where it is. */
static bool may_unshare_user(void)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) ? 1 : 0);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

int rootless_check(struct err *e)
{
	const struct passwd *pw = getpwuid(getuid());
	const char *name = pw ? pw->pw_name : "";
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", getuid());
	if (access("/usr/bin/newuidmap", X_OK))
		return err_set(e, ERR_UNSUPPORTED,
			       "building as an ordinary user needs newuidmap: \"apt-get install "
			       "uidmap\" as root, or build as root");
	if (!has_range("/etc/subuid", name, uid) || !has_range("/etc/subgid", name, uid))
		return err_set(e, ERR_UNSUPPORTED,
			       "building as an ordinary user needs %d ids in /etc/subuid and "
			       "/etc/subgid: \"usermod --add-subuids 100000-165535 --add-subgids "
			       "100000-165535 %s\" as root, or build as root",
			       IDS_MIN, *name ? name : uid);
	if (!may_unshare_user())
		return err_set(
			e, ERR_UNSUPPORTED,
			"building as an ordinary user needs user namespaces: \"sysctl -w "
			"kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000\" as "
			"root (Ubuntu: kernel.apparmor_restrict_unprivileged_userns=0), or build "
			"as root");
	return 0;
}
