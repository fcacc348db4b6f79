/*
 * told - tell a program that has started this command how it failed.
 */
#include "base/told.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"

#define VARIABLE "GLOVEBOX_TELL"

int told_fd(void)
{
	const char *text = getenv(VARIABLE);
	struct err ignored;
	int64_t number;

	return text && !parse_int(text, 3, 1 << 20, &number, &ignored) &&
			       fcntl((int)number, F_GETFD) >= 0
		       ? (int)number
		       : -1;
}

bool told_error(const struct err *e)
{
	const int fd = told_fd();
	char text[sizeof(e->text) + 100];
	auto_free char *line = NULL;

	if (fd < 0)
		return false;
	line = own_printf("%s %s\n", err_kind_name(e->kind), err_string(e, text, sizeof(text)));
	return !io_write_all(fd, line, strlen(line));
}

void told_ready(void)
{
	static const char line[] = "ready\n";
	const int fd = told_fd();

	if (fd >= 0)
		(void)io_write_all(fd, line, strlen(line));
}

void told_keep(void)
{
	const int fd = told_fd();

	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void told_close(void)
{
	int fd = told_fd();

	own_close(&fd);
	unsetenv(VARIABLE);
}
