/*
 * scope - have the user's systemd move us to a scope with delegated control groups (v2).
 */
#include "cli/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/say.h"
#include "cgroup/cgroup.h"
#include "cli/scope_request.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define WAIT_MS 2000
#define LOOK_US 2000

/* The queue of a process that no longer accepts is full: connect(2) then returns EAGAIN. */
static int scope_connect(const char *path, uint64_t end_ms, struct err *e)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (fd < 0)
		return err_sys(e, "make a socket");
	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(e, ERR_NOT_FOUND, "%.200s is too long for a socket", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	while (connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		if (errno != EAGAIN && errno != EINTR)
			return err_set(e, ERR_NOT_FOUND, "nobody listens on %s", path);
		if (monotonic_ms() >= end_ms)
			return err_set(e, ERR_SYSTEM, "%s takes no connection", path);
		clock_pause_us(LOOK_US);
	}
	return take_fd(&fd);
}

int scope_ask(const char *path, bool (*arrived)(void), uint64_t wait_ms, struct err *e)
{
	const uint64_t end_ms = monotonic_ms() + wait_ms;
	auto_fd int fd = scope_connect(path, end_ms, e);
	auto_buf struct buf request = {0};
	char unit[64];

	if (fd < 0)
		return -1;
	snprintf(unit, sizeof(unit), "glovebox-%d-%" PRIu64 ".scope", (int)getpid(),
		 monotonic_us());
	scope_request(geteuid(), unit, &request);
	/* Every send queue takes this much. */
	if (send(fd, request.data, request.length, MSG_NOSIGNAL) != (ssize_t)request.length)
		return err_sys(e, "ask %s for a scope", path);
	while (!arrived()) {
		if (monotonic_ms() >= end_ms)
			return err_set(e, ERR_SYSTEM, "%s did not answer within %" PRIu64 " ms",
				       path, wait_ms);
		if (fd_await(fd, POLLRDHUP, monotonic_us() + LOOK_US))
			return err_set(e, ERR_SYSTEM, "%s refused", path);
	}
	return 0;
}

static bool scope_has_arrived(void)
{
	return !cgroup_wants_scope();
}

void scope_enter(void)
{
	const char *named = getenv("XDG_RUNTIME_DIR"); /* su(1) does not set it */
	auto_free char *own = own_printf("/run/user/%u", geteuid());
	auto_free char *path = own_printf("%s/systemd/private", named && *named ? named : own);
	struct err why;
	struct err e;

	if (!cgroup_wants_scope() || !scope_ask(path, scope_has_arrived, WAIT_MS, &why) ||
	    why.kind == ERR_NOT_FOUND)
		return;
	err_set(&e, why.kind,
		"your own systemd gives no control group: %s (\"systemctl --user status\")",
		why.text);
	say_error(&e);
}
