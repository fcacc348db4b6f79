/*
 * note - say on descriptor 2 what went wrong and what was left out, and which exit code that is.
 */
#include "mover/note.h"

#include <errno.h>
#include <stdbool.h>

#include "inside/sys.h"
#include "mover/reason.h"
#include "mover/tar.h"

static char note_bytes[4 * TAR_NAME_MOST + 200];
static size_t note_size;
static bool note_failed;
static bool note_no_room;
static unsigned long note_count;

static void note_text(const char *text)
{
	while (*text)
		note_bytes[note_size++] = *text++;
}

static void note_name(const char *name)
{
	for (size_t i = 0; i < TAR_NAME_MOST && name[i]; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c >= ' ' && c < 0x7f && c != '\\') {
			note_bytes[note_size++] = (char)c;
			continue;
		}
		note_bytes[note_size++] = '\\';
		for (int shift = 6; shift >= 0; shift -= 3)
			note_bytes[note_size++] = (char)('0' + ((c >> shift) & 7));
	}
}

static void note_number(unsigned long number)
{
	char digits[24];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	while (at < sizeof(digits))
		note_bytes[note_size++] = digits[at++];
}

static void note_write(void)
{
	size_t done = 0;

	note_text("\n");
	while (done < note_size) {
		long n = sys_write(2, note_bytes + done, note_size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	note_size = 0;
}

static void note_reason(long error)
{
	const char *reason = reason_of(error);

	note_text(": ");
	note_text(reason ? reason : "error ");
	if (!reason)
		note_number((unsigned long)-error);
}

static void note_line(const char *kind, const char *text, const char *name, long error)
{
	note_text(kind);
	note_text(error ? "cannot " : "");
	note_text(text);
	if (name) {
		note_text(error ? " " : ": ");
		note_name(name);
	}
	if (error)
		note_reason(error);
	note_write();
}

void note_failure(const char *text, const char *name, long error)
{
	if (!note_failed) {
		note_line(NOTE_FAILURE, text, name, error);
		note_no_room = error == -ENOSPC || error == -EDQUOT;
	}
	note_failed = true;
}

void note_left_out(const char *text, const char *name, long error)
{
	if (note_count++ < NOTE_LINES)
		note_line(NOTE_OMISSION, text, name, error);
}

int note_end(void)
{
	if (note_count > NOTE_LINES) {
		note_text(NOTE_OMISSION);
		note_number(note_count - NOTE_LINES);
		note_text(" more");
		note_write();
	}
	if (note_failed)
		return note_no_room ? NOTE_NO_ROOM : NOTE_FAILED;
	return note_count ? NOTE_LEFT_OUT : NOTE_DONE;
}
