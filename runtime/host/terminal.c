/*
 * terminal - the caller's terminal while the program has a pty of its own.
 */
#include "host/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/own.h"

void terminal_init(struct terminal *t)
{
	*t = (struct terminal){.master = -1};
}

void terminal_open(struct terminal *t, int master)
{
	struct termios raw;

	t->master = fcntl(master, F_DUPFD_CLOEXEC, 3);
	if (tcgetattr(STDIN_FILENO, &t->saved))
		return;
	raw = t->saved;
	cfmakeraw(&raw);
	t->raw = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void terminal_size(uint16_t *rows, uint16_t *columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	*rows = size.ws_row;
	*columns = size.ws_col;
}

void terminal_resize(const struct terminal *t)
{
	struct winsize size;

	if (t->master >= 0 && !ioctl(STDIN_FILENO, TIOCGWINSZ, &size))
		ioctl(t->master, TIOCSWINSZ, &size);
}

void terminal_close(struct terminal *t)
{
	if (t->raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->saved);
	t->raw = false;
	own_close(&t->master);
}
