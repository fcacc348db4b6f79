/*
 * rootless - check whether an ordinary user can build a Debian root here.
 */
#include "rootless.h"

#include <sched.h>

#include "host/system_program.h"
#include "namespace/namespaces.h"
#include "subids.h"

int rootless_check(struct err *e)
{
	struct subids ids;

	if (!system_program_exists(-1, "newuidmap"))
		return err_set(e, ERR_UNSUPPORTED,
			       "building as an ordinary user needs newuidmap: \"apt-get install "
			       "uidmap\" as root, or build as root");
	if (subids_choose(&ids, e))
		return -1;
	if (namespaces_try(CLONE_NEWUSER))
		return namespaces_refused(CLONE_NEWUSER,
					  "building as an ordinary user needs a user namespace", e);
	return 0;
}
