/*
 * say - print untrusted text within our lines, safely.
 */
#include "base/say.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/io.h"
#include "base/utf8.h"

#define NAME        "glovebox: "
#define BLOCK_BYTES ((size_t)64 << 10)

void say_bytes(FILE *to, const char *bytes, size_t length)
{
	auto_buf struct buf safe = {0};

	escape_line(bytes, length, &safe);
	fwrite(buf_string(&safe), 1, safe.length, to);
}

void say_line(FILE *to, const char *text)
{
	say_bytes(to, text, strlen(text));
}

void say_column(FILE *to, int width, const char *text)
{
	auto_buf struct buf safe = {0};

	escape_line(text, strlen(text), &safe);
	fprintf(to, "%-*s", width, buf_string(&safe));
}

void say_warning(const char *text)
{
	fputs(NAME, stderr);
	say_line(stderr, text);
	fputc('\n', stderr);
}

void say_error(const struct err *e)
{
	char text[1024];

	fprintf(stderr, NAME "%s\n", err_string(e, text, sizeof(text)));
}

const char *say_heard(const char *text, int *length)
{
	if (!strncmp(text, NAME, strlen(NAME)))
		text += strlen(NAME);
	*length = (int)strcspn(text, "\n");
	return text;
}

/*
 * The variable may be an ancestor's, whose stderr was another file: compare the file that it names.
 */
bool say_is_journal(int fd)
{
	const char *named = getenv("JOURNAL_STREAM");
	char ours[64];
	struct stat st;

	if (!named || fstat(fd, &st))
		return false;
	snprintf(ours, sizeof(ours), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	return !strcmp(named, ours);
}

/* How many bytes to write at once: a block that ends between two characters. */
static size_t say_block(const char *bytes, size_t left)
{
	return left > BLOCK_BYTES ? escape_whole(bytes, BLOCK_BYTES) : left;
}

void say_lines(FILE *to, const char *text)
{
	auto_buf struct buf safe = {0};

	for (size_t left = strlen(text), length; left; text += length, left -= length) {
		length = say_block(text, left);
		buf_cut(&safe, 0);
		escape_text(text, length, &safe);
		fwrite(safe.data, 1, safe.length, to);
	}
}

static bool say_is_plain(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			return false;
	return true;
}

static void say_make_plain(const char *bytes, size_t length, struct buf *out)
{
	for (size_t i = 0; i < length;) {
		const unsigned char *p = (const unsigned char *)bytes + i;
		uint32_t code;

		i += utf8_decode(p, length - i, &code);
		if (code < ' ')
			buf_add(out, " ", 1);
		else if (code <= '~')
			buf_add(out, p, 1);
		else
			buf_json_code(out, code);
	}
}

int say_json(int fd, const struct buf *json)
{
	for (size_t at = 0; at < json->length;) {
		const char *block = json->data + at;
		size_t length = say_block(block, json->length - at);
		auto_buf struct buf plain = {0};

		at += length;
		if (!say_is_plain(block, length)) {
			say_make_plain(block, length, &plain);
			block = plain.data;
			length = plain.length;
		}
		if (io_write_all(fd, block, length))
			return -1;
	}
	return 0;
}

int say_json_string(int fd, const char *bytes, size_t length)
{
	auto_buf struct buf quoted = {0};
	int bad = io_write_all(fd, "\"", 1);

	for (size_t block; !bad && length; bytes += block, length -= block) {
		block = say_block(bytes, length);
		buf_cut(&quoted, 0);
		buf_json_string(&quoted, bytes, block);
		bad = io_write_all(fd, quoted.data + 1, quoted.length - 2);
	}
	return bad || io_write_all(fd, "\"", 1) ? -1 : 0;
}
