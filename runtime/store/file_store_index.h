/*
 * file_store_index - all files of the store in memory: by id, by owner, by age.
 *
 * Charges owners by store/file_store_charge.h.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_STORE_FILE_STORE_INDEX_H
#define GLOVEBOX_STORE_FILE_STORE_INDEX_H

#include "store/file_store.h"

/* Exists while it has a file, an upload, or held bytes. */
struct file_store_owner {
	uint64_t bytes;
	uint64_t held_bytes; /* of the usage, those outside of files */
	unsigned files;
	unsigned holds;
	char name[];
};

struct file_store_entry {
	struct file_store_entry *older;
	struct file_store_entry *newer;
	struct file_store_owner *owner;
	uint64_t size_bytes;
	double upload_time;
	unsigned readers;
	bool is_gone; /* deleted; freed with its last reader */
	char id[FILE_STORE_ID_SIZE];
	char filename[];
};

struct file_store_index {
	struct file_store_limits limits;
	struct file_store_usage usage;
	struct file_store_entry *oldest;
	struct file_store_entry *newest;
	void *entries; /* tsearch(3) */
	void *owners;
};

/* Return the item of a node of tsearch(3), whose first member is the pointer; insert an item. */
void *file_store_index_in(void *const *node);
void file_store_index_insert(void **tree, void *item, int (*compare)(const void *, const void *));

/* Free the index and its items. */
void file_store_index_fini(struct file_store_index *x);

/* Add a reader of a file, who keeps its charge; remove one. */
void file_store_index_read(struct file_store_entry *entry);
void file_store_index_end_read(struct file_store_index *x, struct file_store_entry *entry);

/* Add a file that was charged; file->owner is the owner's name. */
void file_store_index_add(struct file_store_index *x, struct file_store_owner *owner,
			  const struct stored_file *file);

/* Remove a file. While it has a reader, its owner is charged for its bytes. */
void file_store_index_remove(struct file_store_index *x, struct file_store_entry *entry);

/* Look up; NULL: unknown, or another owner's. @id  has the form of an id. */
struct file_store_entry *file_store_index_find(const struct file_store_index *x, const char *owner,
					       const char *id);

/* Copy the public fields of a file. */
void file_store_index_describe(const struct file_store_entry *entry, struct stored_file *out);

#endif
