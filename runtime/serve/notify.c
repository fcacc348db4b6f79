/*
 * notify - report the state of a server to systemd (sd_notify(3)), if it asks.
 */
#include "serve/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"

char *notify_take(void)
{
	const char *where = getenv("NOTIFY_SOCKET");
	char *taken = where && *where ? own_strdup(where) : NULL;

	unsetenv("NOTIFY_SOCKET");
	return taken;
}

void notify_say(const char *where, const char *state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const size_t length = where ? strlen(where) : 0;
	auto_fd int fd = -1;

	/* sd_notify(3) knows other forms, for virtual machines. */
	if (!length || length >= sizeof(address.sun_path) || !strchr("/@", *where))
		return;
	memcpy(address.sun_path, where, length);
	if (*where == '@')
		address.sun_path[0] = '\0'; /* unix(7): an abstract address */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
			     (const struct sockaddr *)&address,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
}

void notify_say_reloading(const char *where)
{
	char state[64];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, monotonic_us());
	notify_say(where, state);
}
