/*
 * peer - who has connected to the Engine's socket.
 */
#include "engine/peer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/io.h"
#include "base/own.h"

#define STATUS_MAX 65536
#define NUMBERS    "\nNSpid:\t" /* its number in each namespace, ours first */

bool peer_is_outside(int fd)
{
	auto_buf struct buf status = {0};
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	const char *numbers;
	const char *end;
	char path[64];
	struct err ignored;

	/* 0: it is outside of our namespace, and we cannot tell where. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)peer.pid);
	if (io_read_file(AT_FDCWD, path, STATUS_MAX, &status, &ignored))
		return false;
	numbers = strstr(buf_string(&status), NUMBERS);
	end = numbers ? strpbrk(numbers + strlen(NUMBERS), "\t\n") : NULL;
	return end && *end == '\n';
}
