/*
 * file_store_index - every file of the store in memory: by id, by content, by owner, and by age.
 */
#include "serve/file_store_index.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static int file_store_index_by_id(const void *a, const void *b)
{
	return strcmp(((const struct file_store_entry *)a)->id,
		      ((const struct file_store_entry *)b)->id);
}

static int file_store_index_by_sha256(const void *a, const void *b)
{
	return strcmp(((const struct file_store_content *)a)->sha256,
		      ((const struct file_store_content *)b)->sha256);
}

static int file_store_index_by_name(const void *a, const void *b)
{
	return strcmp(((const struct file_store_owner *)a)->name,
		      ((const struct file_store_owner *)b)->name);
}

/* A node of tsearch(3) begins with the pointer to the item. */
static void *file_store_index_in(void *const *node)
{
	return node ? *node : NULL;
}

static void file_store_index_insert(void **tree, void *item,
				    int (*compare)(const void *, const void *))
{
	if (!tsearch(item, tree, compare))
		abort(); /* without memory, as own_zeroed() does */
}

static struct file_store_owner *file_store_index_new_owner(const char *name)
{
	size_t size = strlen(name) + 1;
	struct file_store_owner *owner = own_zeroed(1, sizeof(*owner) + size);

	memcpy(owner->name, name, size);
	return owner;
}

static struct file_store_owner *file_store_index_owner(const struct file_store_index *x,
						       const char *name)
{
	auto_free struct file_store_owner *wanted = file_store_index_new_owner(name);

	return file_store_index_in(tfind(wanted, &x->owners, file_store_index_by_name));
}

static struct file_store_content *file_store_index_content(const struct file_store_index *x,
							   const char *sha256)
{
	struct file_store_content wanted;

	memcpy(wanted.sha256, sha256, sizeof(wanted.sha256));
	return file_store_index_in(tfind(&wanted, &x->contents, file_store_index_by_sha256));
}

void file_store_index_fini(struct file_store_index *x)
{
	while (x->oldest)
		file_store_index_remove(x, x->oldest);
}

static bool file_store_index_exceeds(uint64_t used, uint64_t more, uint64_t limit)
{
	return limit && (more > limit || used > limit - more);
}

static struct file_store_owner *file_store_index_charge_file(struct file_store_index *x,
							     const char *name,
							     struct file_store_owner *owner)
{
	if (!owner) {
		owner = file_store_index_new_owner(name);
		file_store_index_insert(&x->owners, owner, file_store_index_by_name);
	}
	owner->files++;
	x->usage.files++;
	return owner;
}

int file_store_index_check_size(const struct file_store_index *x, uint64_t size_bytes,
				uint64_t more, struct err *e)
{
	uint64_t most = x->limits.file_bytes;

	if (!file_store_index_exceeds(size_bytes, more, most))
		return 0;
	err_set(e, ERR_LIMIT, "File size exceeds maximum of %llu MB",
		(unsigned long long)most >> 20);
	e->number = EFBIG;
	return -1;
}

static int file_store_index_over_quota(struct err *e, const char *what)
{
	err_set(e, ERR_LIMIT, "%s: delete files, or wait until they expire", what);
	e->number = EDQUOT;
	return -1;
}

struct file_store_owner *file_store_index_charge(struct file_store_index *x, const char *name,
						 struct err *e)
{
	struct file_store_owner *owner = file_store_index_owner(x, name);

	if (file_store_index_exceeds(owner ? owner->files : 0, 1, x->limits.owner_files) ||
	    file_store_index_exceeds(x->usage.files, 1, x->limits.total_files)) {
		file_store_index_over_quota(e, "there are as many files as there may be");
		return NULL;
	}
	return file_store_index_charge_file(x, name, owner);
}

static bool file_store_index_is_over(const struct file_store_limits *l,
				     const struct file_store_owner *owner, uint64_t more)
{
	uint64_t most = l->owner_bytes_of ? l->owner_bytes_of(l->context, owner->name) : UINT64_MAX;

	return file_store_index_exceeds(owner->bytes, more, l->owner_bytes) ||
	       owner->bytes > most || more > most - owner->bytes;
}

int file_store_index_charge_bytes(struct file_store_index *x, struct file_store_owner *owner,
				  uint64_t more, struct err *e)
{
	if (file_store_index_is_over(&x->limits, owner, more))
		return file_store_index_over_quota(e, "the quota for files is used up");
	if (file_store_index_exceeds(x->usage.bytes, more, x->limits.total_bytes))
		return file_store_index_over_quota(e, "the room for everybody's files is used up");
	owner->bytes += more;
	x->usage.bytes += more;
	return 0;
}

void file_store_index_give_back(struct file_store_index *x, struct file_store_owner *owner,
				uint64_t bytes)
{
	x->usage.files--;
	x->usage.bytes -= bytes;
	owner->bytes -= bytes;
	if (--owner->files)
		return;
	tdelete(owner, &x->owners, file_store_index_by_name);
	free(owner);
}

struct file_store_owner *file_store_index_charge_kept(struct file_store_index *x,
						      const struct stored_file *file)
{
	struct file_store_owner *owner = file_store_index_charge_file(
		x, file->owner, file_store_index_owner(x, file->owner));

	owner->bytes += file->size_bytes;
	x->usage.bytes += file->size_bytes;
	return owner;
}

/* By age. The clock may have been put back: then it is not the newest. */
static void file_store_index_link(struct file_store_index *x, struct file_store_entry *entry)
{
	struct file_store_entry *older = x->newest;

	while (older && older->upload_time > entry->upload_time)
		older = older->older;
	entry->older = older;
	entry->newer = older ? older->newer : x->oldest;
	*(entry->older ? &entry->older->newer : &x->oldest) = entry;
	*(entry->newer ? &entry->newer->older : &x->newest) = entry;
}

/* Content that is here already is charged once. */
static struct file_store_content *file_store_index_take_content(struct file_store_index *x,
								const struct stored_file *file)
{
	struct file_store_content *content = file_store_index_content(x, file->sha256);

	if (content) {
		x->usage.bytes -= file->size_bytes;
	} else {
		content = own_zeroed(1, sizeof(*content));
		memcpy(content->sha256, file->sha256, sizeof(content->sha256));
		content->size_bytes = file->size_bytes;
		file_store_index_insert(&x->contents, content, file_store_index_by_sha256);
	}
	content->references++;
	return content;
}

void file_store_index_reveal(struct file_store_entry *entry)
{
	entry->is_hidden = false;
	entry->content->is_settled = true;
}

void file_store_index_add(struct file_store_index *x, struct file_store_owner *owner,
			  const struct stored_file *file, bool is_hidden)
{
	size_t name_size = strlen(file->filename) + 1;
	struct file_store_entry *entry = own_zeroed(1, sizeof(*entry) + name_size);

	memcpy(entry->id, file->id, sizeof(entry->id));
	memcpy(entry->filename, file->filename, name_size);
	entry->owner = owner;
	entry->upload_time = file->upload_time;
	entry->content = file_store_index_take_content(x, file);
	file_store_index_insert(&x->entries, entry, file_store_index_by_id);
	file_store_index_link(x, entry);
	entry->is_hidden = is_hidden;
	if (!is_hidden)
		file_store_index_reveal(entry);
}

bool file_store_index_remove(struct file_store_index *x, struct file_store_entry *entry)
{
	struct file_store_content *content = entry->content;
	uint64_t size = content->size_bytes;
	bool last = !--content->references;

	tdelete(entry, &x->entries, file_store_index_by_id);
	*(entry->older ? &entry->older->newer : &x->oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &x->newest) = entry->older;
	if (last) {
		tdelete(content, &x->contents, file_store_index_by_sha256);
		free(content);
	} else {
		x->usage.bytes += size; /* another file has it still */
	}
	file_store_index_give_back(x, entry->owner, size);
	free(entry);
	return last;
}

struct file_store_entry *file_store_index_find(const struct file_store_index *x, const char *owner,
					       const char *id)
{
	struct file_store_entry wanted;
	struct file_store_entry *entry;

	memcpy(wanted.id, id, sizeof(wanted.id));
	entry = file_store_index_in(tfind(&wanted, &x->entries, file_store_index_by_id));
	return entry && !strcmp(entry->owner->name, owner) ? entry : NULL;
}

bool file_store_index_has_content(const struct file_store_index *x, const char *sha256)
{
	return file_store_index_content(x, sha256);
}

bool file_store_index_has_settled(const struct file_store_index *x, const char *sha256)
{
	const struct file_store_content *content = file_store_index_content(x, sha256);

	return content && content->is_settled;
}

struct file_store_usage file_store_index_usage(const struct file_store_index *x, const char *name)
{
	const struct file_store_owner *owner = file_store_index_owner(x, name);

	return owner ? (struct file_store_usage){owner->bytes, owner->files}
		     : (struct file_store_usage){0};
}

void file_store_index_describe(const struct file_store_entry *entry, struct stored_file *out)
{
	*out = (struct stored_file){.size_bytes = entry->content->size_bytes,
				    .upload_time = entry->upload_time};
	memcpy(out->id, entry->id, sizeof(out->id));
	memcpy(out->sha256, entry->content->sha256, sizeof(out->sha256));
	snprintf(out->owner, sizeof(out->owner), "%s", entry->owner->name);
	snprintf(out->filename, sizeof(out->filename), "%s", entry->filename);
}
