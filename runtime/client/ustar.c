/*
 * ustar - write the headers of a tar archive: POSIX ustar, and pax records for what does not fit.
 */
#include "client/ustar.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define PAX_NAME   "././@PaxHeader" /* where a program without pax support would extract it */
#define PAX_TYPE   'x'
#define MTIME_MOST 077777777777

unsigned ustar_padding(uint64_t size)
{
	return (unsigned)((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

static void ustar_put_zeros(struct buf *out, size_t count)
{
	static const char zeros[TAR_BLOCK];

	for (; count > TAR_BLOCK; count -= TAR_BLOCK)
		buf_add(out, zeros, TAR_BLOCK);
	buf_add(out, zeros, count);
}

void ustar_put_end(struct buf *out)
{
	ustar_put_zeros(out, 2 * (size_t)TAR_BLOCK);
}

/* Call it last: it sums all other fields, with blanks in its own place. */
static void ustar_add_up(struct tar_header *h)
{
	const unsigned char *bytes = (const unsigned char *)h;
	unsigned sum = 0;

	memset(h->checksum, ' ', sizeof(h->checksum));
	for (size_t i = 0; i < sizeof(*h); i++)
		sum += bytes[i];
	snprintf(h->checksum, sizeof(h->checksum), "%06o", sum);
}

static struct tar_header ustar_header(char type, mode_t mode, uint64_t size, int64_t mtime_s)
{
	struct tar_header h = {
		.type = type, .magic = "ustar", .version = {'0', '0'}
        };
	const int64_t mtime = mtime_s < 0 ? 0 : mtime_s > MTIME_MOST ? MTIME_MOST : mtime_s;

	snprintf(h.mode, sizeof(h.mode), "%07o", mode & 0777);
	snprintf(h.uid, sizeof(h.uid), "%07o", 0);
	snprintf(h.gid, sizeof(h.gid), "%07o", 0);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)size);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo", (unsigned long long)mtime);
	snprintf(h.major, sizeof(h.major), "%07o", 0);
	snprintf(h.minor, sizeof(h.minor), "%07o", 0);
	return h;
}

/* Whether the path fits, perhaps split in two at a slash, which is left out. */
static bool ustar_set_path(struct tar_header *h, const char *path, size_t length)
{
	const char *cut = NULL;

	if (length <= sizeof(h->name)) {
		memcpy(h->name, path, length);
		return true;
	}
	if (length > sizeof(h->prefix) + 1 + sizeof(h->name))
		return false;
	/*
	 * The first slash after which the rest fits; a slash at the end belongs to a directory's
	 * name.
	 */
	cut = memchr(path + length - sizeof(h->name) - 1, '/', sizeof(h->name));
	if (!cut || cut == path || (size_t)(cut - path) > sizeof(h->prefix))
		return false;
	memcpy(h->prefix, path, (size_t)(cut - path));
	memcpy(h->name, cut + 1, length - (size_t)(cut - path) - 1);
	return true;
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts its own digits. */
static void ustar_put_record(struct buf *out, const char *key, const char *value, size_t length)
{
	const size_t rest = strlen(key) + length + 3;
	size_t all = rest + 1;

	while (all != rest + (size_t)snprintf(NULL, 0, "%zu", all))
		all = rest + (size_t)snprintf(NULL, 0, "%zu", all);
	buf_printf(out, "%zu %s=", all, key);
	buf_add(out, value, length);
	buf_text(out, "\n");
}

static void ustar_put_pax(const struct buf *records, struct buf *out)
{
	struct tar_header h = ustar_header(PAX_TYPE, 0644, records->length, 0);

	memcpy(h.name, PAX_NAME, strlen(PAX_NAME));
	ustar_add_up(&h);
	buf_add(out, &h, sizeof(h));
	buf_add(out, records->data, records->length);
	ustar_put_zeros(out, ustar_padding(records->length));
}

/* Records are UTF-8, unless another record says otherwise. */
static void ustar_put_long(struct buf *records, const char *key, const char *text, size_t length)
{
	if (!records->length && !utf8_is_valid(text, length))
		ustar_put_record(records, "hdrcharset", "BINARY", 6);
	ustar_put_record(records, key, text, length);
}

void ustar_put(const struct ustar_entry *entry, struct buf *out)
{
	struct tar_header h =
		ustar_header((char)entry->type, entry->mode, entry->size, entry->mtime_s);
	const size_t target = entry->target ? strlen(entry->target) : 0;
	auto_buf struct buf records = {0};
	auto_buf struct buf path = {0};

	buf_text(&path, entry->path);
	if (entry->type == USTAR_DIRECTORY)
		buf_text(&path, "/");
	if (!ustar_set_path(&h, path.data, path.length)) {
		ustar_put_long(&records, "path", path.data, path.length);
		memcpy(h.name, path.data, sizeof(h.name));
	}
	if (target > sizeof(h.link))
		ustar_put_long(&records, "linkpath", entry->target, target);
	if (target)
		memcpy(h.link, entry->target, target < sizeof(h.link) ? target : sizeof(h.link));
	if (records.length)
		ustar_put_pax(&records, out);
	ustar_add_up(&h);
	buf_add(out, &h, sizeof(h));
}
