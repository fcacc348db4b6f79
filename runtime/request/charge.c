/*
 * charge - the bytes of files for which a request charges its key.
 */
#include "request/charge.h"

#include "base/own.h"

struct file_store_hold *charge_of(struct request *r)
{
	if (!r->held)
		r->held = own_zeroed(1, sizeof(struct file_store_hold));
	return r->held;
}

void charge_release(struct request *r)
{
	if (r->held)
		file_store_hold_end(r->held);
	own_free(&r->held);
}
