/*
 * rootless - can an ordinary user build a Debian root here?
 */
#include "rootless.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "subids.h"

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
	struct subids ids;

	if (access("/usr/bin/newuidmap", X_OK))
		return err_set(e, ERR_UNSUPPORTED,
			       "building as an ordinary user needs newuidmap: \"apt-get install "
			       "uidmap\" as root, or build as root");
	if (subids_choose(&ids, e))
		return -1;
	if (!may_unshare_user())
		return err_set(
			e, ERR_UNSUPPORTED,
			"building as an ordinary user needs user namespaces: \"sysctl -w "
			"kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000\" as "
			"root (Ubuntu: kernel.apparmor_restrict_unprivileged_userns=0), or build "
			"as root");
	return 0;
}
