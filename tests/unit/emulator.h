/*
 * emulator - a small terminal for tests: a pty, and what a person would see of what is
 * written to it.
 *
 * It knows what console.c uses and ends the test at anything else. Lines that scroll out are
 * kept. Text is bytes here: one column each.
 */
#ifndef GLOVEBOX_TESTS_EMULATOR_H
#define GLOVEBOX_TESTS_EMULATOR_H

#include "unit.h"

#include <sys/ioctl.h>

#include "base/buf.h"

#define EMULATOR_ROWS    200
#define EMULATOR_COLUMNS 200

struct emulator {
	int master;
	int slave;
	unsigned rows;
	unsigned columns;
	char cells[EMULATOR_ROWS][EMULATOR_COLUMNS];
	unsigned row;
	unsigned column; /* equal to the width: the next character wraps */
	unsigned saved_row;
	unsigned saved_column;
	struct buf gone;  /* the lines that have scrolled out */
	struct buf bytes; /* everything that was written */
	bool styled;
	char sequence[32]; /* an escape sequence that is not complete yet */
	size_t sequence_length;
};

static inline void emulator_resize(struct emulator *t, unsigned rows, unsigned columns)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

	assert_int_equal(ioctl(t->slave, TIOCSWINSZ, &size), 0);
	t->rows = rows;
	t->columns = columns;
}

static inline void emulator_open(struct emulator *t, unsigned rows, unsigned columns)
{
	memset(t, 0, sizeof(*t));
	memset(t->cells, ' ', sizeof(t->cells));
	t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(t->master >= 0);
	assert_int_equal(grantpt(t->master), 0);
	assert_int_equal(unlockpt(t->master), 0);
	t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(t->slave >= 0);
	assert_int_equal(fcntl(t->master, F_SETFL, O_NONBLOCK), 0);
	emulator_resize(t, rows, columns);
}

static inline void emulator_close(struct emulator *t)
{
	close(t->master);
	close(t->slave);
	buf_fini(&t->gone);
	buf_fini(&t->bytes);
}

static inline void emulator_row_text(const char *cells, unsigned columns, struct buf *out)
{
	while (columns && cells[columns - 1] == ' ')
		columns--;
	buf_add(out, cells, columns);
	buf_text(out, "\n");
}

static inline void emulator_down(struct emulator *t)
{
	if (t->row + 1 < t->rows) {
		t->row++;
		return;
	}
	emulator_row_text(t->cells[0], t->columns, &t->gone);
	memmove(t->cells[0], t->cells[1], (size_t)(t->rows - 1) * EMULATOR_COLUMNS);
	memset(t->cells[t->rows - 1], ' ', EMULATOR_COLUMNS);
	if (t->saved_row)
		t->saved_row--;
}

static inline void emulator_print(struct emulator *t, char c)
{
	if (t->column == t->columns) {
		emulator_down(t);
		t->column = 0;
	}
	t->cells[t->row][t->column++] = c;
}

/* Erase from the cursor on. While a wrap is pending, the cursor is on the last column. */
static inline void emulator_erase(struct emulator *t)
{
	unsigned column = t->column < t->columns ? t->column : t->columns - 1;

	memset(t->cells[t->row] + column, ' ', EMULATOR_COLUMNS - column);
	for (unsigned row = t->row + 1; row < t->rows; row++)
		memset(t->cells[row], ' ', EMULATOR_COLUMNS);
}

/* Handle a complete sequence. Moving the cursor cancels a pending wrap. */
static inline void emulator_do(struct emulator *t, const char *sequence)
{
	size_t length = strlen(sequence);

	if (sequence[length - 1] == 'm') {
		t->styled = strcmp(sequence, "\033[0m") != 0;
		return;
	}
	if (t->column == t->columns)
		fail_msg("a sequence at the right edge");
	if (!strcmp(sequence, "\033D")) {
		emulator_down(t);
	} else if (!strcmp(sequence, "\033[A")) {
		t->row -= t->row > 0;
	} else if (!strcmp(sequence, "\0337")) {
		t->saved_row = t->row;
		t->saved_column = t->column;
	} else if (!strcmp(sequence, "\0338")) {
		t->row = t->saved_row;
		t->column = t->saved_column;
	} else if (!strcmp(sequence, "\033[J")) {
		emulator_erase(t);
	} else {
		fail_msg("a sequence that nobody should send: ESC %s", sequence + 1);
	}
}

static inline bool emulator_is_complete(const char *s, size_t length)
{
	char last = s[length - 1];

	if (length < 2 || (length == 2 && last == '['))
		return false;
	return s[1] != '[' || (last >= 0x40 && last <= 0x7e);
}

static inline void emulator_take(struct emulator *t, char c)
{
	if (t->sequence_length || c == '\033') {
		assert_true(t->sequence_length < sizeof(t->sequence) - 1);
		t->sequence[t->sequence_length++] = c;
		t->sequence[t->sequence_length] = '\0';
		if (emulator_is_complete(t->sequence, t->sequence_length)) {
			emulator_do(t, t->sequence);
			t->sequence_length = 0;
		}
	} else if (c == '\n') {
		emulator_down(t);
	} else if (c == '\r') {
		t->column = 0;
	} else if (c == '\t') {
		t->column = (t->column / 8 + 1) * 8 < t->columns ? (t->column / 8 + 1) * 8
								 : t->columns - 1;
	} else {
		if ((unsigned char)c < 0x20 || c == 0x7f)
			fail_msg("a control character that nobody should send: %d", c);
		emulator_print(t, c);
	}
}

static inline void emulator_read(struct emulator *t)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(t->master, bytes, sizeof(bytes))) > 0) {
		buf_add(&t->bytes, bytes, (size_t)n);
		for (ssize_t i = 0; i < n; i++)
			emulator_take(t, bytes[i]);
	}
}

/* All lines, without empty ones at the end; borrowed until the next call. */
static inline const char *emulator_text(struct emulator *t)
{
	static char text[65536];
	auto_buf struct buf out = {0};

	emulator_read(t);
	buf_add(&out, t->gone.data, t->gone.length);
	for (unsigned row = 0; row < t->rows; row++)
		emulator_row_text(t->cells[row], t->columns, &out);
	while (out.length && out.data[out.length - 1] == '\n')
		out.data[--out.length] = '\0';
	snprintf(text, sizeof(text), "%s", buf_string(&out));
	return text;
}

#endif
