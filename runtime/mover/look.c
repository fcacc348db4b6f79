/*
 * look - say what is at a path, without following it.
 */
#include "mover/look.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/get.h"
#include "mover/note.h"
#include "mover/output.h"
#include "mover/tar.h"

#define LOOK_MODE 07777

static void look_text(const char *text)
{
	size_t size = sys_strlen(text);
	unsigned char *room = output_room(size);

	for (size_t i = 0; i < size; i++)
		room[i] = (unsigned char)text[i];
	output_used(size);
}

static void look_number(long long value, unsigned base)
{
	unsigned long long left =
		value < 0 ? -(unsigned long long)value : (unsigned long long)value;
	char digits[26] = {0};
	size_t at = sizeof(digits) - 1;

	do
		digits[--at] = (char)('0' + left % base);
	while (left /= base);
	if (value < 0)
		digits[--at] = '-';
	look_text(" ");
	look_text(digits + at);
}

static void look_hex(const char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char *room = output_room(2 * size + 1);

	*room++ = ' ';
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		*room++ = (unsigned char)digits[byte >> 4];
		*room++ = (unsigned char)digits[byte & 15];
	}
	output_used(2 * size + 1);
}

static const char *look_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "dir";
	case S_IFLNK:
		return "link";
	default:
		return "other";
	}
}

void look_run(const char *path)
{
	static char link[TAR_NAME_MOST + 1];
	struct stat st = {0};
	size_t length;
	const char *name = get_name(path, &length);
	long n = sys4(__NR_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW);
	bool is_link = n >= 0 && S_ISLNK(st.st_mode);

	if (is_link)
		n = sys4(__NR_readlinkat, AT_FDCWD, path, link, sizeof(link));
	if (n < 0) {
		note_failure("look at", path, n);
		return;
	}
	look_text(look_type(st.st_mode));
	look_number(st.st_mode & LOOK_MODE, 8);
	look_number(st.st_size, 10);
	look_number(st.st_mtim.tv_sec, 10);
	look_hex(name, length);
	if (is_link)
		look_hex(link, (size_t)n);
	look_text("\n");
	output_flush();
}
