/*
 * unix_address - the address of a socket in a directory that is open.
 */
#include "net/unix_address.h"

#include <stdio.h>

#include "base/fd_path.h"

int unix_address_in(int dir, const char *name, struct sockaddr_un *out)
{
	const int size = sizeof(out->sun_path);

	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	return snprintf(out->sun_path, sizeof(out->sun_path), "%s/%s", fd_path(dir).text, name) <
			       size
		       ? 0
		       : -1;
}
