/*
 * file_store_index - every file of the store in memory: by id, by content, by owner, and by age.
 *
 * serve/file_store_charge.h charges the owner of each file.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_INDEX_H
#define GLOVEBOX_SERVE_FILE_STORE_INDEX_H

#include "serve/file_store.h"

/* Exists while a file has it, or somebody reads it. */
struct file_store_content {
	char object[DIGEST_HEX]; /* its name on the disk (serve/file_store_record.h) */
	char sha256[DIGEST_HEX];
	bool is_settled; /* a file that has it was seen */
	unsigned references;
	unsigned readers;
	uint64_t size_bytes;
};

/* Exists while it has a file, uploads one, or holds bytes. */
struct file_store_owner {
	uint64_t bytes;
	uint64_t held_bytes; /* of these: in no file */
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
	bool is_hidden; /* until it, or its end, is on the disk */
	char id[FILE_STORE_ID_SIZE];
	char filename[];
};

struct file_store_index {
	struct file_store_limits limits;
	struct file_store_usage usage;
	struct file_store_entry *oldest;
	struct file_store_entry *newest;
	void *entries; /* tsearch(3): balanced, so that nobody can choose contents that are slow */
	void *contents;
	void *owners;
};

/* The item of a node of tsearch(3), which begins with the pointer to it; put one into a tree. */
void *file_store_index_in(void *const *node);
void file_store_index_insert(void **tree, void *item, int (*compare)(const void *, const void *));

/* Everything in it is freed. */
void file_store_index_fini(struct file_store_index *x);

/* One reader more of a content, and of the charge of its file; one less. */
struct file_store_content *file_store_index_read(struct file_store_index *x,
						 struct file_store_entry *entry);
void file_store_index_end_read(struct file_store_index *x, struct file_store_owner *owner,
			       struct file_store_content *content);

/*
 * Add a file that was charged; file->owner is the owner's name. One that is hidden is revealed
 * later, or removed.
 */
void file_store_index_add(struct file_store_index *x, struct file_store_owner *owner,
			  const struct stored_file *file, bool is_hidden);
void file_store_index_reveal(struct file_store_entry *entry);

/* Remove it with its charge. Returns whether its content has no file any more. */
bool file_store_index_remove(struct file_store_index *x, struct file_store_entry *entry);

/* NULL if there is none, or if it is another's; hidden ones, too. `id` has the form of one. */
struct file_store_entry *file_store_index_find(const struct file_store_index *x, const char *owner,
					       const char *id);

/* Whether a file has the content of this name; and whether that was on the disk once. */
bool file_store_index_has_content(const struct file_store_index *x, const char *object);
bool file_store_index_has_settled(const struct file_store_index *x, const char *object);

/* Fill in what is told of a file. */
void file_store_index_describe(const struct file_store_entry *entry, struct stored_file *out);

#endif
