/*
 * file_store_index - all files of the store in memory: by id, by owner, by age.
 */
#include "store/file_store_index.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "store/file_store_charge.h"

static int file_store_index_by_id(const void *a, const void *b)
{
	return strcmp(((const struct file_store_entry *)a)->id,
		      ((const struct file_store_entry *)b)->id);
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

void file_store_index_add(struct file_store_index *x, struct file_store_owner *owner,
			  const struct stored_file *file)
{
	size_t name_size = strlen(file->filename) + 1;
	struct file_store_entry *entry = own_zeroed(1, sizeof(*entry) + name_size);

	memcpy(entry->id, file->id, sizeof(entry->id));
	memcpy(entry->filename, file->filename, name_size);
	entry->owner = owner;
	entry->size_bytes = file->size_bytes;
	entry->upload_time = file->upload_time;
	file_store_index_insert(&x->entries, entry, file_store_index_by_id);
	file_store_index_link(x, entry);
}

void file_store_index_read(struct file_store_entry *entry)
{
	entry->owner->holds++;
	entry->readers++;
}

void file_store_index_end_read(struct file_store_index *x, struct file_store_entry *entry)
{
	struct file_store_owner *owner = entry->owner;

	if (!--entry->readers && entry->is_gone) {
		file_store_charge_unhold(x, owner, file_store_charge_cost(x, entry->size_bytes));
		free(entry);
	}
	file_store_charge_end_hold(x, owner);
}

void file_store_index_remove(struct file_store_index *x, struct file_store_entry *entry)
{
	tdelete(entry, &x->entries, file_store_index_by_id);
	*(entry->older ? &entry->older->newer : &x->oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &x->newest) = entry->older;
	if (entry->readers) {
		entry->is_gone = true;
		file_store_charge_to_hold(x, entry->owner, entry->size_bytes);
		return;
	}
	file_store_charge_give_back(x, entry->owner, entry->size_bytes);
	free(entry);
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

void file_store_index_describe(const struct file_store_entry *entry, struct stored_file *out)
{
	*out = (struct stored_file){.size_bytes = entry->size_bytes,
				    .upload_time = entry->upload_time};
	memcpy(out->id, entry->id, sizeof(out->id));
	snprintf(out->owner, sizeof(out->owner), "%s", entry->owner->name);
	snprintf(out->filename, sizeof(out->filename), "%s", entry->filename);
}
