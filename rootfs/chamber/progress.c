/*
 * progress - show the progress of a build.
 */
#include "progress.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "loop/clock.h"

#define EVERY_US       100000
#define LINE_MAX_CHARS 200

static bool is_verbose;
static bool is_quiet;

void progress_set_verbose(bool verbose)
{
	is_verbose = verbose;
}

bool progress_is_verbose(void)
{
	return is_verbose;
}

void progress_set_quiet(bool quiet)
{
	is_quiet = quiet;
}

bool progress_is_quiet(void)
{
	return is_quiet;
}

void progress_say(const char *format, ...)
{
	va_list args;

	if (is_quiet)
		return;
	fputs("glovebox: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Columns of a line without the last one; 0: not a terminal. */
static int progress_width(void)
{
	struct winsize size = {0};

	if (is_verbose || !isatty(STDERR_FILENO))
		return 0;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return 79;
	return size.ws_col < LINE_MAX_CHARS ? size.ws_col - 1 : LINE_MAX_CHARS;
}

static bool progress_is_blank(char c)
{
	return c == '\n' || c == ' ' || c == '\t';
}

void progress_draw(const char *step, const char *bytes, size_t length)
{
	static uint64_t drawn_us;
	char line[LINE_MAX_CHARS + 1];
	int width = progress_width();
	size_t start;

	if (!width || monotonic_us() - drawn_us < EVERY_US)
		return;
	while (length && progress_is_blank(bytes[length - 1]))
		length--;
	start = length;
	while (start && bytes[start - 1] != '\n')
		start--;
	if (start == length)
		return;
	snprintf(line, sizeof(line), "%s: %.*s", step, (int)(length - start), bytes + start);
	for (char *p = line; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
	fprintf(stderr, "\r%-*.*s", width, width, line);
	drawn_us = monotonic_us();
}

void progress_clear(void)
{
	int width = progress_width();

	if (width)
		fprintf(stderr, "\r%*s\r", width, "");
}
