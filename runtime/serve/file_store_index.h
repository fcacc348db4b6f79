/*
 * file_store_index - every file of the store in memory: by id, by content, by owner, and by age.
 *
 * The sums of the quotas are kept here, and nowhere else. A file is charged before it is complete,
 * so that uploads at the same time cannot pass a limit together.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_INDEX_H
#define GLOVEBOX_SERVE_FILE_STORE_INDEX_H

#include "serve/file_store.h"

/* Exists while a file has it. */
struct file_store_content {
	char sha256[DIGEST_HEX];
	bool is_settled; /* a file that has it was seen */
	unsigned references;
	uint64_t size_bytes;
};

/* Exists while it has a file, or uploads one. */
struct file_store_owner {
	uint64_t bytes;
	unsigned files;
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

/* Everything in it is freed. */
void file_store_index_fini(struct file_store_index *x);

/*
 * file_store_index_charge - count one more file of this owner, and its bytes as they come.
 *
 * file_store_index_charge() returns the owner, or NULL: ERR_LIMIT with EDQUOT. Then it is either
 * added as a file, or given back with all bytes that were charged; both are the owner's last use.
 */
struct file_store_owner *file_store_index_charge(struct file_store_index *x, const char *name,
						 struct err *e);
int file_store_index_charge_bytes(struct file_store_index *x, struct file_store_owner *owner,
				  uint64_t more, struct err *e);
void file_store_index_give_back(struct file_store_index *x, struct file_store_owner *owner,
				uint64_t bytes);

/* Both at once for a file that is there already: no limit refuses it. */
struct file_store_owner *file_store_index_charge_kept(struct file_store_index *x,
						      const struct stored_file *file);

/* Whether a file may grow so much: ERR_LIMIT with EFBIG. */
int file_store_index_check_size(const struct file_store_index *x, uint64_t size_bytes,
				uint64_t more, struct err *e);

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

/* Whether a file has this content; and whether that was on the disk once. */
bool file_store_index_has_content(const struct file_store_index *x, const char *sha256);
bool file_store_index_has_settled(const struct file_store_index *x, const char *sha256);

/* What an owner has; nothing if it is unknown. */
struct file_store_usage file_store_index_usage(const struct file_store_index *x, const char *name);

/* Fill in what is told of a file. */
void file_store_index_describe(const struct file_store_entry *entry, struct stored_file *out);

#endif
