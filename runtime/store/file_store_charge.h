/*
 * file_store_charge - the sums behind the quotas: files and bytes, per owner and in total.
 *
 * This module alone keeps them. A file is charged before it is complete, so concurrent uploads
 * cannot exceed a limit together.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_STORE_FILE_STORE_CHARGE_H
#define GLOVEBOX_STORE_FILE_STORE_CHARGE_H

#include "store/file_store_index.h"

/*
 * file_store_charge_file - charge an owner for one more file, then for its bytes as they arrive. A
 * file costs limits.least_bytes at least, from its beginning.
 *
 * file_store_charge_file() returns the owner, or NULL: ERR_LIMIT with EDQUOT. Afterwards either add
 * the file, or release the charge with all its bytes; both end the use of the owner.
 */
struct file_store_owner *file_store_charge_file(struct file_store_index *x, const char *name,
						struct err *e);
int file_store_charge_bytes(struct file_store_index *x, struct file_store_owner *owner,
			    uint64_t before, uint64_t more, struct err *e);
void file_store_charge_give_back(struct file_store_index *x, struct file_store_owner *owner,
				 uint64_t bytes);

/*
 * file_store_charge_hold - charge bytes outside of files; file_store_charge_unhold() releases them,
 * and file_store_charge_end_hold() releases the owner. @owner  in and out; NULL: look @name up or
 * create it. Errors: ERR_LIMIT with EDQUOT; ERR_BUSY: other held bytes will be released.
 */
int file_store_charge_hold(struct file_store_index *x, const char *name, uint64_t bytes,
			   uint64_t beyond, struct file_store_owner **owner, struct err *e);
void file_store_charge_unhold(struct file_store_index *x, struct file_store_owner *owner,
			      uint64_t bytes);
void file_store_charge_end_hold(struct file_store_index *x, struct file_store_owner *owner);

/* file_store_charge_to_hold - a file of this size was deleted: hold its bytes. */
void file_store_charge_to_hold(struct file_store_index *x, struct file_store_owner *owner,
			       uint64_t size_bytes);

/*
 * file_store_charge_left - bytes that an owner may still hold: within his quota plus `beyond`, and
 * within the store's. file_store_charge_holds - whether he holds any.
 */
uint64_t file_store_charge_left(const struct file_store_index *x, const char *name,
				uint64_t beyond);
bool file_store_charge_holds(const struct file_store_index *x, const char *name);

/* file_store_charge_cost - bytes that a file of this size is charged with. */
uint64_t file_store_charge_cost(const struct file_store_index *x, uint64_t size_bytes);

/* Charge a file that exists already, at start: no limit refuses it. */
struct file_store_owner *file_store_charge_kept(struct file_store_index *x,
						const struct stored_file *file);

/* Check that a file may grow so much: ERR_LIMIT with EFBIG. */
int file_store_charge_check_size(const struct file_store_index *x, uint64_t size_bytes,
				 uint64_t more, struct err *e);

/* file_store_charge_usage - files and bytes of one owner; zero if it is unknown. */
struct file_store_usage file_store_charge_usage(const struct file_store_index *x, const char *name);

#endif
