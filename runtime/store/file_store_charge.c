/*
 * file_store_charge - the sums behind the quotas: files and bytes, per owner and in total.
 */
#include "store/file_store_charge.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static int file_store_charge_by_name(const void *a, const void *b)
{
	return strcmp(((const struct file_store_owner *)a)->name,
		      ((const struct file_store_owner *)b)->name);
}

static struct file_store_owner *file_store_charge_new_owner(const char *name)
{
	size_t size = strlen(name) + 1;
	struct file_store_owner *owner = own_zeroed(1, sizeof(*owner) + size);

	memcpy(owner->name, name, size);
	return owner;
}

static struct file_store_owner *file_store_charge_owner(const struct file_store_index *x,
							const char *name)
{
	auto_free struct file_store_owner *wanted = file_store_charge_new_owner(name);

	return file_store_index_in(tfind(wanted, &x->owners, file_store_charge_by_name));
}

static bool file_store_charge_exceeds(uint64_t used, uint64_t more, uint64_t limit)
{
	return limit && (more > limit || used > limit - more);
}

uint64_t file_store_charge_cost(const struct file_store_index *x, uint64_t size_bytes)
{
	return size_bytes > x->limits.least_bytes ? size_bytes : x->limits.least_bytes;
}

static struct file_store_owner *file_store_charge_make_owner(struct file_store_index *x,
							     const char *name)
{
	struct file_store_owner *owner = file_store_charge_owner(x, name);

	if (owner)
		return owner;
	owner = file_store_charge_new_owner(name);
	file_store_index_insert(&x->owners, owner, file_store_charge_by_name);
	return owner;
}

static void file_store_charge_leave_owner(struct file_store_index *x,
					  struct file_store_owner *owner)
{
	if (owner->files || owner->holds)
		return;
	tdelete(owner, &x->owners, file_store_charge_by_name);
	free(owner);
}

int file_store_charge_check_size(const struct file_store_index *x, uint64_t size_bytes,
				 uint64_t more, struct err *e)
{
	uint64_t most = x->limits.file_bytes;

	if (!file_store_charge_exceeds(size_bytes, more, most))
		return 0;
	err_set(e, ERR_LIMIT, "File size exceeds maximum of %llu MB",
		(unsigned long long)most >> 20);
	e->number = EFBIG;
	return -1;
}

static int file_store_charge_over_quota(struct err *e, const char *what)
{
	err_set(e, ERR_LIMIT, "%s: delete files, or wait until they expire", what);
	e->number = EDQUOT;
	return -1;
}

/* UINT64_MAX: unbounded. @beyond  bytes allowed in excess of the quota. */
static struct file_store_most file_store_charge_most(const struct file_store_index *x,
						     const char *name, uint64_t beyond)
{
	const struct file_store_limits *l = &x->limits;
	struct file_store_most most = {UINT64_MAX, UINT64_MAX};

	if (l->owner_most)
		most = l->owner_most(l->context, name);
	most.bytes = most.bytes < UINT64_MAX - beyond ? most.bytes + beyond : UINT64_MAX;
	return most;
}

static uint64_t file_store_charge_minus(uint64_t most, uint64_t used)
{
	return used < most ? most - used : 0;
}

static uint64_t file_store_charge_left_of(const struct file_store_index *x, uint64_t used,
					  uint64_t most)
{
	const uint64_t total = x->limits.total_bytes ? x->limits.total_bytes : UINT64_MAX;
	const uint64_t own = file_store_charge_minus(most, used);
	const uint64_t all = file_store_charge_minus(total, x->usage.bytes);

	return own < all ? own : all;
}

uint64_t file_store_charge_left(const struct file_store_index *x, const char *name, uint64_t beyond)
{
	const struct file_store_owner *owner = file_store_charge_owner(x, name);

	return file_store_charge_left_of(x, owner ? owner->bytes : 0,
					 file_store_charge_most(x, name, beyond).bytes);
}

/* ERR_BUSY if the bytes would fit once held ones are released. */
static int file_store_charge_take_bytes(struct file_store_index *x, struct file_store_owner *owner,
					uint64_t more, uint64_t beyond, struct err *e)
{
	const uint64_t most = file_store_charge_most(x, owner->name, beyond).bytes;

	if (more > file_store_charge_left_of(x, owner->bytes - owner->held_bytes, most))
		return more > file_store_charge_minus(most, owner->bytes - owner->held_bytes)
			       ? file_store_charge_over_quota(e, "the quota for files is used up")
			       : file_store_charge_over_quota(
					 e, "the room for everybody's files is used up");
	if (more > file_store_charge_left_of(x, owner->bytes, most))
		return err_set(e, ERR_BUSY,
			       "the quota for files is used up by requests that are not over");
	owner->bytes += more;
	x->usage.bytes += more;
	return 0;
}

struct file_store_owner *file_store_charge_file(struct file_store_index *x, const char *name,
						struct err *e)
{
	struct file_store_owner *owner = file_store_charge_make_owner(x, name);
	int bad = 0;

	if (owner->files >= file_store_charge_most(x, name, 0).files)
		bad = file_store_charge_over_quota(e,
						   "the quota for the number of files is used up");
	else if (file_store_charge_exceeds(x->usage.files, 1, x->limits.total_files))
		bad = file_store_charge_over_quota(e, "there are as many files as there may be");
	else
		bad = file_store_charge_take_bytes(x, owner, x->limits.least_bytes, 0, e);
	if (bad) {
		file_store_charge_leave_owner(x, owner);
		return NULL;
	}
	owner->files++;
	x->usage.files++;
	return owner;
}

int file_store_charge_bytes(struct file_store_index *x, struct file_store_owner *owner,
			    uint64_t before, uint64_t more, struct err *e)
{
	if (more > UINT64_MAX - before)
		return file_store_charge_over_quota(e, "the quota for files is used up");
	return file_store_charge_take_bytes(
		x, owner,
		file_store_charge_cost(x, before + more) - file_store_charge_cost(x, before), 0, e);
}

/* @cost  bytes released. */
static void file_store_charge_relieve(struct file_store_index *x, struct file_store_owner *owner,
				      uint64_t cost)
{
	x->usage.bytes -= cost;
	owner->bytes -= cost;
}

void file_store_charge_give_back(struct file_store_index *x, struct file_store_owner *owner,
				 uint64_t bytes)
{
	file_store_charge_relieve(x, owner, file_store_charge_cost(x, bytes));
	x->usage.files--;
	owner->files--;
	file_store_charge_leave_owner(x, owner);
}

bool file_store_charge_holds(const struct file_store_index *x, const char *name)
{
	const struct file_store_owner *owner = file_store_charge_owner(x, name);

	return owner && owner->held_bytes;
}

int file_store_charge_hold(struct file_store_index *x, const char *name, uint64_t bytes,
			   uint64_t beyond, struct file_store_owner **owner, struct err *e)
{
	struct file_store_owner *charged = *owner ? *owner : file_store_charge_make_owner(x, name);

	if (file_store_charge_take_bytes(x, charged, bytes, beyond, e)) {
		file_store_charge_leave_owner(x, charged);
		return -1;
	}
	charged->held_bytes += bytes;
	charged->holds += !*owner;
	*owner = charged;
	return 0;
}

void file_store_charge_unhold(struct file_store_index *x, struct file_store_owner *owner,
			      uint64_t bytes)
{
	owner->held_bytes -= bytes;
	file_store_charge_relieve(x, owner, bytes);
}

void file_store_charge_end_hold(struct file_store_index *x, struct file_store_owner *owner)
{
	owner->holds--;
	file_store_charge_leave_owner(x, owner);
}

void file_store_charge_to_hold(struct file_store_index *x, struct file_store_owner *owner,
			       uint64_t size_bytes)
{
	owner->held_bytes += file_store_charge_cost(x, size_bytes);
	x->usage.files--;
	owner->files--;
}

struct file_store_owner *file_store_charge_kept(struct file_store_index *x,
						const struct stored_file *file)
{
	struct file_store_owner *owner = file_store_charge_make_owner(x, file->owner);
	const uint64_t cost = file_store_charge_cost(x, file->size_bytes);

	owner->files++;
	x->usage.files++;
	owner->bytes += cost;
	x->usage.bytes += cost;
	return owner;
}

struct file_store_usage file_store_charge_usage(const struct file_store_index *x, const char *name)
{
	const struct file_store_owner *owner = file_store_charge_owner(x, name);

	return owner ? (struct file_store_usage){owner->bytes, owner->files}
		     : (struct file_store_usage){0};
}
