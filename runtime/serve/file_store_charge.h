/*
 * file_store_charge - the sums of the quotas: files and bytes of each owner, and of all.
 *
 * They are kept here, and nowhere else. A file is charged before it is complete, so that uploads at
 * the same time cannot pass a limit together.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_CHARGE_H
#define GLOVEBOX_SERVE_FILE_STORE_CHARGE_H

#include "serve/file_store_index.h"

/*
 * file_store_charge_file - count one more file of this owner, and its bytes as they come: so many
 * have come before. Each counts limits.least_bytes at least, from its beginning on.
 *
 * file_store_charge_file() returns the owner, or NULL: ERR_LIMIT with EDQUOT. Then it is either
 * added as a file, or given back with all bytes that were charged; both are the owner's last use.
 */
struct file_store_owner *file_store_charge_file(struct file_store_index *x, const char *name,
						struct err *e);
int file_store_charge_bytes(struct file_store_index *x, struct file_store_owner *owner,
			    uint64_t before, uint64_t more, struct err *e);
void file_store_charge_give_back(struct file_store_index *x, struct file_store_owner *owner,
				 uint64_t bytes);

/*
 * file_store_charge_hold - charge bytes that are in no file; file_store_charge_unhold() gives them
 * back, and file_store_charge_end_hold() lets go of the owner. @owner  NULL: the one of that name,
 * or a new one; out. Errors: ERR_LIMIT with EDQUOT; ERR_BUSY: other bytes that are held will be
 * given back.
 */
int file_store_charge_hold(struct file_store_index *x, const char *name, uint64_t bytes,
			   uint64_t beyond, struct file_store_owner **owner, struct err *e);
void file_store_charge_unhold(struct file_store_index *x, struct file_store_owner *owner,
			      uint64_t bytes);
void file_store_charge_end_hold(struct file_store_index *x, struct file_store_owner *owner);

/*
 * The bytes that this owner may hold beside what he has: within his quota, and so many beyond it,
 * and within that of all. Whether he holds any.
 */
uint64_t file_store_charge_left(const struct file_store_index *x, const char *name,
				uint64_t beyond);
bool file_store_charge_holds(const struct file_store_index *x, const char *name);

/* file_store_charge_cost - bytes that a file of this size is charged with. */
uint64_t file_store_charge_cost(const struct file_store_index *x, uint64_t size_bytes);

/* Both at once for a file that is there already: no limit refuses it. */
struct file_store_owner *file_store_charge_kept(struct file_store_index *x,
						const struct stored_file *file);

/* Whether a file may grow so much: ERR_LIMIT with EFBIG. */
int file_store_charge_check_size(const struct file_store_index *x, uint64_t size_bytes,
				 uint64_t more, struct err *e);

/* file_store_charge_usage - files and bytes of one owner; zero if it is unknown. */
struct file_store_usage file_store_charge_usage(const struct file_store_index *x, const char *name);

#endif
