/*
 * supplier_said - read the stderr of our own supervisor.
 */
#include "client/supplier_said.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "wire/operations.h"

#define SAID_MAX 2048

static void supplier_said_read(int fd, char text[static SAID_MAX])
{
	ssize_t n = fd < 0 ? 0 : pread(fd, text, SAID_MAX - 1, 0);

	text[n > 0 ? n : 0] = '\0';
}

/* The next line, if this one names a module; otherwise NULL. */
static const char *supplier_said_skip(const char *line)
{
	if (strncmp(line, OP_LEFT_OUT, strlen(OP_LEFT_OUT)) != 0)
		return NULL;
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* The rest after all lines that name a module. */
static const char *supplier_said_rest(const char *text)
{
	const char *rest = text;

	for (const char *next = text; next; next = supplier_said_skip(next))
		rest = next;
	return rest;
}

void supplier_said_left_out(int fd)
{
	char text[SAID_MAX];

	supplier_said_read(fd, text);
	fwrite(text, 1, (size_t)(supplier_said_rest(text) - text), stderr);
}

void supplier_said_last(int fd, struct err *e)
{
	char text[SAID_MAX];
	const char *last;
	int length;

	supplier_said_read(fd, text);
	last = supplier_said_rest(text);
	if (!*last)
		return;
	last = say_heard(last, &length);
	err_fill(e, ERR_SYSTEM, "%.*s", length, last);
}
