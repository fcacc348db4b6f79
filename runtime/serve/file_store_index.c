/*
 * file_store_index - all files of the store in memory: by id, by content, by owner, by age.
 */
#include "serve/file_store_index.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "serve/file_store_charge.h"
#include "serve/file_store_record.h"

static int file_store_index_by_id(const void *a, const void *b)
{
	return strcmp(((const struct file_store_entry *)a)->id,
		      ((const struct file_store_entry *)b)->id);
}

static int file_store_index_by_object(const void *a, const void *b)
{
	return strcmp(((const struct file_store_content *)a)->object,
		      ((const struct file_store_content *)b)->object);
}

void *file_store_index_in(void *const *node)
{
	return node ? *node : NULL;
}

void file_store_index_insert(void **tree, void *item, int (*compare)(const void *, const void *))
{
	if (!tsearch(item, tree, compare))
		abort(); /* out of memory: as own_zeroed() does */
}

static struct file_store_content *file_store_index_content(const struct file_store_index *x,
							   const char *object)
{
	struct file_store_content wanted;

	memcpy(wanted.object, object, sizeof(wanted.object));
	return file_store_index_in(tfind(&wanted, &x->contents, file_store_index_by_object));
}

void file_store_index_fini(struct file_store_index *x)
{
	while (x->oldest)
		file_store_index_remove(x, x->oldest);
}

/* Insert by age; after a clock step the file may not be the newest. */
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

/* A content that the owner has already is charged once. */
static struct file_store_content *file_store_index_take_content(struct file_store_index *x,
								const struct stored_file *file)
{
	char object[DIGEST_HEX];
	struct file_store_content *content;

	file_store_record_object(file, object);
	content = file_store_index_content(x, object);
	if (content) {
		x->usage.bytes -= file_store_charge_cost(x, file->size_bytes);
	} else {
		content = own_zeroed(1, sizeof(*content));
		memcpy(content->object, object, sizeof(content->object));
		memcpy(content->sha256, file->sha256, sizeof(content->sha256));
		content->size_bytes = file->size_bytes;
		file_store_index_insert(&x->contents, content, file_store_index_by_object);
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

/* An unlinked content occupies the disk until its last reader has closed it. */
static void file_store_index_keep_for_readers(struct file_store_index *x,
					      struct file_store_owner *owner,
					      const struct file_store_content *content)
{
	const uint64_t cost = file_store_charge_cost(x, content->size_bytes);

	owner->bytes += cost;
	owner->held_bytes += cost;
	x->usage.bytes += cost;
}

struct file_store_content *file_store_index_read(struct file_store_index *x,
						 struct file_store_entry *entry)
{
	(void)x;
	entry->owner->holds++;
	entry->content->readers++;
	return entry->content;
}

void file_store_index_end_read(struct file_store_index *x, struct file_store_owner *owner,
			       struct file_store_content *content)
{
	if (!--content->readers && !content->references) {
		file_store_charge_unhold(x, owner, file_store_charge_cost(x, content->size_bytes));
		free(content);
	}
	file_store_charge_end_hold(x, owner);
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
		tdelete(content, &x->contents, file_store_index_by_object);
		if (content->readers)
			file_store_index_keep_for_readers(x, entry->owner, content);
		else
			free(content);
	} else {
		/* another file shares the content */
		x->usage.bytes += file_store_charge_cost(x, size);
	}
	file_store_charge_give_back(x, entry->owner, size);
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

bool file_store_index_has_content(const struct file_store_index *x, const char *object)
{
	return file_store_index_content(x, object);
}

bool file_store_index_has_settled(const struct file_store_index *x, const char *object)
{
	const struct file_store_content *content = file_store_index_content(x, object);

	return content && content->is_settled;
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
