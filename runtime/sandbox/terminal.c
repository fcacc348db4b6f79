/*
 * terminal - make the caller's terminal raw while the program has a pty of its own.
 */
#include "sandbox/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/own.h"

void terminal_begin(struct terminal *t)
{
	*t = (struct terminal){.own = -1, .master = -1};
}

void terminal_open(struct terminal *t, int own, int master)
{
	t->master = fcntl(master, F_DUPFD_CLOEXEC, 3);
	terminal_make_raw(t, own);
	terminal_resize(t); /* one that came since the program was asked for found no master */
}

void terminal_make_raw(struct terminal *t, int own)
{
	struct termios raw;

	t->own = own;
	if (tcgetattr(own, &t->saved))
		return;
	raw = t->saved;
	cfmakeraw(&raw);
	t->raw = !tcsetattr(own, TCSANOW, &raw);
}

void terminal_size(uint16_t *rows, uint16_t *columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	*rows = size.ws_row;
	*columns = size.ws_col;
}

void terminal_set_size(const struct terminal *t, uint16_t rows, uint16_t columns)
{
	const struct winsize size = {.ws_row = rows, .ws_col = columns};

	if (t->master >= 0)
		ioctl(t->master, TIOCSWINSZ, &size);
}

void terminal_resize(const struct terminal *t)
{
	struct winsize size;

	if (t->master >= 0 && !ioctl(t->own, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		ioctl(t->master, TIOCSWINSZ, &size);
}

void terminal_close(struct terminal *t)
{
	if (t->raw)
		tcsetattr(t->own, TCSANOW, &t->saved);
	t->raw = false;
	own_close(&t->master);
}
