/*
 * file_store_index - all files of the store in memory: by id, by content, by owner, by age.
 *
 * Charges owners by serve/file_store_charge.h.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_INDEX_H
#define GLOVEBOX_SERVE_FILE_STORE_INDEX_H

#include "serve/file_store.h"

/* Exists while a file refers to it, or a reader has it open. */
struct file_store_content {
	char object[DIGEST_HEX]; /* its name on the disk (serve/file_store_record.h) */
	char sha256[DIGEST_HEX];
	bool is_settled; /* a file with it was on the disk once */
	unsigned references;
	unsigned readers;
	uint64_t size_bytes;
};

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
	struct file_store_content *content;
	double upload_time;
	bool is_hidden; /* until the file, or its deletion, is on the disk */
	char id[FILE_STORE_ID_SIZE];
	char filename[];
};

struct file_store_index {
	struct file_store_limits limits;
	struct file_store_usage usage;
	struct file_store_entry *oldest;
	struct file_store_entry *newest;
	/* tsearch(3): balanced, so clients cannot make it slow by choosing contents */
	void *entries;
	void *contents;
	void *owners;
};

/* Return the item of a node of tsearch(3), whose first member is the pointer; insert an item. */
void *file_store_index_in(void *const *node);
void file_store_index_insert(void **tree, void *item, int (*compare)(const void *, const void *));

/* Free the index and its items. */
void file_store_index_fini(struct file_store_index *x);

/* Add a reader of a content, who keeps its file's charge; remove one. */
struct file_store_content *file_store_index_read(struct file_store_index *x,
						 struct file_store_entry *entry);
void file_store_index_end_read(struct file_store_index *x, struct file_store_owner *owner,
			       struct file_store_content *content);

/*
 * Add a file that was charged; file->owner is the owner's name. A hidden file is revealed or
 * removed later.
 */
void file_store_index_add(struct file_store_index *x, struct file_store_owner *owner,
			  const struct stored_file *file, bool is_hidden);
void file_store_index_reveal(struct file_store_entry *entry);

/* Remove a file with its charge. Returns whether its content has no file any more. */
bool file_store_index_remove(struct file_store_index *x, struct file_store_entry *entry);

/* Look up, hidden files included; NULL: unknown, or another owner's. @id  has the form of an id. */
struct file_store_entry *file_store_index_find(const struct file_store_index *x, const char *owner,
					       const char *id);

/* Whether a file has the content of this name; whether that content was on the disk once. */
bool file_store_index_has_content(const struct file_store_index *x, const char *object);
bool file_store_index_has_settled(const struct file_store_index *x, const char *object);

/* Copy the public fields of a file. */
void file_store_index_describe(const struct file_store_entry *entry, struct stored_file *out);

#endif
