/*
 * tar_read - read the header of a member: ustar, pax, GNU long names, v7.
 */
#include "mover/tar_read.h"

#include <limits.h>

#define CHECKSUM_AT offsetof(struct tar_header, checksum)

/* In GNU's header of a sparse file, and in the blocks behind it. */
#define SPARSE_HEADER_GOES_ON 482
#define SPARSE_BLOCK_GOES_ON  504

static bool tar_read_is_zero(const unsigned char *block)
{
	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (block[i])
			return false;
	return true;
}

/* Two's complement behind a first bit that says so; @out fits or the number is refused. */
static bool tar_read_base256(const unsigned char *at, size_t size, long long *out)
{
	long long value = at[0] & 0x40 ? (at[0] & 0x7f) - 0x80 : at[0] & 0x7f;

	for (size_t i = 1; i < size; i++) {
		if (value > LLONG_MAX / 256 || value < LLONG_MIN / 256)
			return false;
		value = value * 256 + at[i];
	}
	*out = value;
	return true;
}

/* Octal digits between spaces, ended by a space, a NUL or the field; nothing is 0. */
static bool tar_read_number(const char *field, size_t size, long long *out)
{
	const unsigned char *at = (const unsigned char *)field;
	long long value = 0;
	size_t i = 0;

	if (at[0] & 0x80)
		return tar_read_base256(at, size, out);
	while (i < size && at[i] == ' ')
		i++;
	for (; i < size && at[i] >= '0' && at[i] <= '7'; i++)
		value = value * 8 + (at[i] - '0'); /* 12 digits at most */
	if (i < size && at[i] && at[i] != ' ')
		return false;
	*out = value;
	return true;
}

/* Old tars have added the bytes as signed ones. */
static bool tar_read_checksum(const unsigned char *block, const struct tar_header *header)
{
	long long wanted;
	long plain = 0;
	long with_sign = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		bool own = i >= CHECKSUM_AT && i < CHECKSUM_AT + sizeof(header->checksum);
		unsigned char byte = own ? ' ' : block[i];

		plain += byte;
		with_sign += (signed char)byte;
	}
	return tar_read_number(header->checksum, sizeof(header->checksum), &wanted) &&
	       (wanted == plain || wanted == with_sign);
}

static enum tar_kind tar_read_kind(char type)
{
	switch (type) {
	case '\0':
	case '0':
	case '7':
		return TAR_FILE;
	case '1':
		return TAR_HARD_LINK;
	case '2':
		return TAR_LINK;
	case '3':
	case '4':
	case '6':
		return TAR_SPECIAL;
	case '5':
		return TAR_DIRECTORY;
	case 'S':
		return TAR_SPARSE;
	case 'x':
	case 'X':
		return TAR_PAX;
	case 'g':
		return TAR_PAX_GLOBAL;
	case 'L':
		return TAR_LONG_NAME;
	case 'K':
		return TAR_LONG_LINK;
	default:
		return TAR_UNKNOWN;
	}
}

/* Append a field that a NUL ends, or its size. Returns the new length. */
static size_t tar_read_text(char *out, size_t length, const char *field, size_t size)
{
	for (size_t i = 0; i < size && field[i]; i++)
		out[length++] = field[i];
	out[length] = '\0';
	return length;
}

static bool tar_read_is_posix(const struct tar_header *header)
{
	static const char magic[6] = "ustar";

	for (size_t i = 0; i < sizeof(magic); i++)
		if (header->magic[i] != magic[i])
			return false;
	return true;
}

/* Where GNU's header has other fields, POSIX' has the beginning of a long name. */
static void tar_read_names(const struct tar_header *header, struct tar_entry *out)
{
	size_t length = 0;

	if (!(out->given & TAR_GIVEN_LINK))
		tar_read_text(out->link, 0, header->link, sizeof(header->link));
	if (out->given & TAR_GIVEN_NAME)
		return;
	if (tar_read_is_posix(header) && header->prefix[0]) {
		length = tar_read_text(out->name, 0, header->prefix, sizeof(header->prefix));
		out->name[length++] = '/';
	}
	tar_read_text(out->name, length, header->name, sizeof(header->name));
}

static bool tar_read_ends_in_slash(const char *name)
{
	size_t length = 0;

	while (name[length])
		length++;
	return length && name[length - 1] == '/';
}

/* Only files have data, whatever a size says; but a file with a slash is an old directory. */
static void tar_read_follows(struct tar_entry *out)
{
	bool has_data =
		out->kind == TAR_FILE || out->kind == TAR_SPARSE || out->kind == TAR_UNKNOWN;

	out->follows = has_data ? out->size : 0;
	if (out->kind != TAR_FILE)
		return;
	if (out->given & TAR_GIVEN_SPARSE)
		out->kind = TAR_SPARSE;
	else if (tar_read_ends_in_slash(out->name))
		out->kind = TAR_DIRECTORY;
}

const char *tar_read_header(const unsigned char block[TAR_BLOCK], struct tar_entry *out)
{
	const struct tar_header *header = (const struct tar_header *)block;
	long long size;
	long long mode;
	long long mtime;

	if (tar_read_is_zero(block)) {
		out->kind = TAR_END;
		return NULL;
	}
	if (!tar_read_checksum(block, header))
		return "not a header of tar";
	if (!tar_read_number(header->size, sizeof(header->size), &size) || size < 0)
		return "malformed size";
	out->kind = tar_read_kind(header->type);
	if (out->kind >= TAR_PAX) {
		out->follows = size;
		return NULL;
	}
	if (!tar_read_number(header->mode, sizeof(header->mode), &mode))
		return "malformed mode";
	if (!tar_read_number(header->mtime, sizeof(header->mtime), &mtime))
		return "malformed time";
	out->mode = (unsigned)mode & TAR_MODE;
	if (!(out->given & TAR_GIVEN_SIZE))
		out->size = size;
	if (!(out->given & TAR_GIVEN_MTIME)) {
		out->mtime = mtime;
		out->mtime_ns = 0;
	}
	out->goes_on = out->kind == TAR_SPARSE && block[SPARSE_HEADER_GOES_ON];
	tar_read_names(header, out);
	tar_read_follows(out);
	return NULL;
}

bool tar_read_goes_on(const unsigned char block[TAR_BLOCK])
{
	return block[SPARSE_BLOCK_GOES_ON];
}

const char *tar_read_long(const char *data, size_t size, enum tar_kind kind, struct tar_entry *out)
{
	bool is_name = kind == TAR_LONG_NAME;
	size_t length = 0;

	while (length < size && data[length])
		length++;
	if (length > TAR_NAME_MOST)
		return "a name is too long";
	tar_read_text(is_name ? out->name : out->link, 0, data, length);
	out->given |= is_name ? TAR_GIVEN_NAME : TAR_GIVEN_LINK;
	return NULL;
}
