/*
 * tar_write - write the header of a member: ustar, with a pax header before it where that is too
 * small.
 */
#include "mover/tar_write.h"

#define OCTAL_MOST 077777777777LL /* what the fields for size and time hold */

static size_t tar_write_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static void tar_write_copy(char *out, const char *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = from[i];
}

static void tar_write_octal(char *field, size_t size, long long value)
{
	field[--size] = '\0';
	while (size--) {
		field[size] = (char)('0' + value % 8);
		value /= 8;
	}
}

/* Decimal. Returns how many bytes. */
static size_t tar_write_decimal(char *out, long long value)
{
	char digits[24];
	unsigned long long left =
		value < 0 ? -(unsigned long long)value : (unsigned long long)value;
	size_t at = sizeof(digits);
	size_t length;

	do
		digits[--at] = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		digits[--at] = '-';
	length = sizeof(digits) - at;
	tar_write_copy(out, digits + at, length);
	return length;
}

/* The length at the front counts its own digits. */
static size_t tar_write_record(char *out, const char *key, const char *value, size_t size)
{
	size_t key_length = tar_write_length(key);
	size_t rest = key_length + size + 3; /* space, equals sign, newline */
	size_t total = rest + 1;
	size_t at;

	for (size_t bound = 10; total >= bound; bound *= 10)
		total = rest + (bound < 100 ? 2 : bound < 1000 ? 3 : bound < 10000 ? 4 : 5);
	at = tar_write_decimal(out, (long long)total);
	out[at++] = ' ';
	tar_write_copy(out + at, key, key_length);
	at += key_length;
	out[at++] = '=';
	tar_write_copy(out + at, value, size);
	at += size;
	out[at++] = '\n';
	return at;
}

static size_t tar_write_number(char *out, const char *key, long long value)
{
	char digits[24];

	return tar_write_record(out, key, digits, tar_write_decimal(digits, value));
}

/* Where ustar cuts a name in two, at a slash that it leaves out; 0: it fits whole, or not at all.
 */
static size_t tar_write_cut(const char *name, size_t length)
{
	struct tar_header *h;
	size_t first = length > sizeof(h->name) ? length - sizeof(h->name) - 1 : 0;

	if (!first)
		first = 1;
	if (length <= sizeof(h->name))
		return 0;
	for (size_t at = first; at <= sizeof(h->prefix) && at + 1 < length; at++)
		if (name[at] == '/')
			return at;
	return 0;
}

static void tar_write_zero(unsigned char *out, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = 0;
}

static void tar_write_seal(struct tar_header *h)
{
	const unsigned char *bytes = (const unsigned char *)h;
	long long sum = 0;

	tar_write_copy(h->magic, "ustar", sizeof(h->magic));
	tar_write_copy(h->version, "00", sizeof(h->version));
	tar_write_copy(h->checksum, "        ", sizeof(h->checksum));
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += bytes[i];
	tar_write_octal(h->checksum, sizeof(h->checksum) - 1, sum);
}

/* A header of which nothing is there but its type, size and time. */
static struct tar_header *tar_write_begin(unsigned char *out, char type, long long size,
					  long long mtime)
{
	struct tar_header *h = (struct tar_header *)out;

	tar_write_zero(out, TAR_BLOCK);
	h->type = type;
	tar_write_octal(h->uid, sizeof(h->uid), 0);
	tar_write_octal(h->gid, sizeof(h->gid), 0);
	tar_write_octal(h->size, sizeof(h->size), size);
	tar_write_octal(h->mtime, sizeof(h->mtime), mtime);
	return h;
}

/* Put the name into a header. Returns whether it fits. */
static bool tar_write_name(struct tar_header *h, const char *name, size_t length)
{
	size_t cut = tar_write_cut(name, length);
	size_t rest = cut ? cut + 1 : 0;

	if (length - rest > sizeof(h->name)) {
		tar_write_copy(h->name, name, sizeof(h->name));
		return false;
	}
	tar_write_copy(h->prefix, name, cut);
	tar_write_copy(h->name, name + rest, length - rest);
	return true;
}

static bool tar_write_is_octal(long long value)
{
	return value >= 0 && value <= OCTAL_MOST;
}

/* The records of what does not fit into a ustar header. Returns how many bytes. */
static size_t tar_write_records(char *out, const struct tar_entry *e, const char *name,
				size_t length, size_t link_length)
{
	struct tar_header unused;
	size_t size = 0;

	if (!tar_write_name(&unused, name, length))
		size += tar_write_record(out + size, "path", name, length);
	if (link_length > sizeof(unused.link))
		size += tar_write_record(out + size, "linkpath", e->link, link_length);
	if (!tar_write_is_octal(e->size))
		size += tar_write_number(out + size, "size", e->size);
	if (!tar_write_is_octal(e->mtime))
		size += tar_write_number(out + size, "mtime", e->mtime);
	return size;
}

/* Write a pax header with its records. Returns how many bytes; none are needed: 0. */
static size_t tar_write_pax(unsigned char *out, const struct tar_entry *e, const char *name,
			    size_t length, size_t link_length)
{
	static const char own_name[] = "PaxHeader";
	unsigned char *records = out + TAR_BLOCK;
	size_t size = tar_write_records((char *)records, e, name, length, link_length);
	size_t padding = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
	struct tar_header *h;

	if (!size)
		return 0;
	h = tar_write_begin(out, 'x', (long long)size, 0);
	tar_write_octal(h->mode, sizeof(h->mode), 0644);
	tar_write_copy(h->name, own_name, sizeof(own_name));
	tar_write_seal(h);
	tar_write_zero(records + size, padding);
	return TAR_BLOCK + size + padding;
}

size_t tar_write_header(unsigned char out[TAR_WRITE_MOST], const struct tar_entry *entry)
{
	static const char types[] = {[TAR_FILE] = '0',
				     [TAR_DIRECTORY] = '5',
				     [TAR_LINK] = '2',
				     [TAR_HARD_LINK] = '1',
				     [TAR_SPECIAL] = '3'};
	static char name[TAR_NAME_MOST + 2];
	size_t length = tar_write_length(entry->name);
	size_t link_length = entry->kind >= TAR_LINK ? tar_write_length(entry->link) : 0;
	bool long_link = link_length > sizeof(((struct tar_header *)out)->link);
	struct tar_header *h;
	size_t before;

	tar_write_copy(name, entry->name, length);
	if (entry->kind == TAR_DIRECTORY && name[length - 1] != '/')
		name[length++] = '/';
	before = tar_write_pax(out, entry, name, length, link_length);
	h = tar_write_begin(out + before, types[entry->kind],
			    tar_write_is_octal(entry->size) ? entry->size : 0,
			    tar_write_is_octal(entry->mtime) ? entry->mtime : 0);
	tar_write_octal(h->mode, sizeof(h->mode), entry->mode & TAR_MODE);
	(void)tar_write_name(h, name, length);
	tar_write_copy(h->link, entry->link, long_link ? sizeof(h->link) : link_length);
	tar_write_seal(h);
	return before + TAR_BLOCK;
}
