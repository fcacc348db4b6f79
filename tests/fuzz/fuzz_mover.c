/*
 * fuzz_mover - whatever a tar says, its names end, stay beneath and are written as they were read.
 */
#include "fuzz.h"

#include "mover/path.h"
#include "mover/pax_read.h"
#include "mover/tar_read.h"
#include "mover/tar_write.h"

/* In a copy of its own, so that ASan sees every byte too far. */
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

/* Every header may say yes: a mutation seldom hits the sum of another one. */
static void mend_checksum(uint8_t *block)
{
	struct tar_header *header = (struct tar_header *)block;
	unsigned sum = 0;

	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += block[i];
	snprintf(header->checksum, sizeof(header->checksum), "%06o", sum);
}

static void check_text(const char *text)
{
	MUST(memchr(text, '\0', TAR_NAME_MOST + 1));
}

static void check_clean(const char *name)
{
	char copy[TAR_NAME_MOST + 1];
	char again[TAR_NAME_MOST + 1];
	size_t length;
	size_t same;

	snprintf(copy, sizeof(copy), "%s", name);
	if (path_clean(copy, &length))
		return;
	MUST(strlen(copy) == length && length <= strlen(name));
	MUST(path_last(copy, length) <= length);
	memcpy(again, copy, length + 1);
	MUST(!path_clean(again, &same) && same == length && !strcmp(again, copy));
	for (const char *part = copy; length && part; part = strchr(part, '/')) {
		size_t size;

		part += part != copy;
		size = strcspn(part, "/");
		MUST(size && size <= PATH_PART_MOST);
		MUST(!(size == 1 && *part == '.') && !(size == 2 && !strncmp(part, "..", 2)));
	}
}

static const char *read_before(const uint8_t *data, size_t size, struct tar_entry *entry)
{
	if (entry->kind == TAR_PAX)
		return pax_read((const char *)data, size, entry);
	if (entry->kind == TAR_PAX_GLOBAL)
		return NULL;
	return tar_read_long((const char *)data, size, entry->kind, entry);
}

/* What is written is read as the same. */
static void check_written(const struct tar_entry *entry)
{
	static struct tar_entry back;
	static struct tar_entry wanted;
	static unsigned char bytes[TAR_WRITE_MOST];
	size_t length = strlen(entry->name);
	size_t size;
	size_t at = 0;

	wanted = *entry;
	if (entry->kind > TAR_HARD_LINK || !*entry->name)
		return;
	if (entry->kind != TAR_FILE)
		wanted.size = 0;
	size = tar_write_header(bytes, &wanted);
	MUST(size && size <= TAR_WRITE_MOST && size % TAR_BLOCK == 0);
	back.given = 0;
	MUST(!tar_read_header(bytes, &back));
	if (back.kind == TAR_PAX) {
		at = TAR_BLOCK + ((size_t)back.follows + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		MUST(at + TAR_BLOCK == size);
		MUST(!pax_read((const char *)bytes + TAR_BLOCK, (size_t)back.follows, &back));
		MUST(!tar_read_header(bytes + at, &back));
	}
	MUST(at + TAR_BLOCK == size && back.kind == wanted.kind);
	MUST(back.mode == wanted.mode && back.mtime == wanted.mtime && back.size == wanted.size);
	MUST(!strncmp(back.name, wanted.name, length));
	MUST(!back.name[length] ||
	     (back.kind == TAR_DIRECTORY && !strcmp(back.name + length, "/")));
	MUST(wanted.kind < TAR_LINK || !strcmp(back.link, wanted.link));
}

static void check_member(const struct tar_entry *entry)
{
	MUST(entry->kind < TAR_PAX);
	MUST(entry->mode <= TAR_MODE);
	MUST(entry->size >= 0 && (entry->follows == 0 || entry->follows == entry->size));
	MUST(entry->mtime_ns >= 0 && entry->mtime_ns < 1000000000);
	check_text(entry->name);
	check_text(entry->link);
	check_clean(entry->name);
	check_clean(entry->link);
	check_written(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tar_entry entry;

	entry.given = 0;
	while (size >= TAR_BLOCK) {
		uint8_t *block = copy_of(data, TAR_BLOCK);
		const char *wrong = tar_read_header(block, &entry);
		uint8_t *before;
		size_t skip;

		if (wrong) {
			mend_checksum(block);
			wrong = tar_read_header(block, &entry);
		}
		free(block);
		data += TAR_BLOCK;
		size -= TAR_BLOCK;
		if (wrong || entry.kind == TAR_END)
			return 0;
		MUST(entry.follows >= 0);
		if (entry.kind < TAR_PAX) {
			check_member(&entry);
			entry.given = 0;
		}
		if ((unsigned long long)entry.follows > size)
			return 0;
		before = copy_of(data, (size_t)entry.follows);
		if (entry.kind >= TAR_PAX)
			wrong = read_before(before, (size_t)entry.follows, &entry);
		free(before);
		if (wrong)
			return 0;
		data += entry.follows;
		size -= (size_t)entry.follows;
		skip = (TAR_BLOCK - (size_t)entry.follows % TAR_BLOCK) % TAR_BLOCK;
		if (skip > size)
			return 0;
		data += skip;
		size -= skip;
	}
	return 0;
}
