/*
 * volume_seen - a volume as the commands see it, and which sandboxes use it.
 *
 * The records of sandboxes that stay name their volumes; a run without --detach has no record, and
 * holds the volume's lock (root/volume.h).
 *
 * Runs: `glovebox volume`. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_VOLUME_SEEN_H
#define GLOVEBOX_CONTAINER_VOLUME_SEEN_H

#include <stdbool.h>

#include "base/json.h"
#include "base/list.h"
#include "loop/clock.h"
#include "root/volume.h"

struct volume_seen {
	const char *name;  /* borrowed */
	struct volume at;  /* owned, as all below */
	struct json *what; /* an object: labels, options; NULL: neither */
	char *path;
	char created[CLOCK_UTC_SIZE];
};

/*
 * volume_see - look at one volume.
 * @out  end with volume_seen_fini(), also on error.
 * Errors: those of volume_open().
 */
int volume_see(const char *name, struct volume_seen *out, struct err *e);
void volume_seen_fini(struct volume_seen *s);
#define auto_seen __attribute__((cleanup(volume_seen_fini)))

/* Its labels or options: an object, or NULL. */
const struct json *volume_part(const struct volume_seen *s, const char *key);

/* volume_inspect_put - append its description, in docker's fields. */
void volume_inspect_put(const struct volume_seen *s, struct buf *out);

/* @wanted: KEY, or KEY=VALUE. */
bool volume_has_label(const struct volume_seen *s, const char *wanted);

/* Errors: ERR_BUSY in docker's words, naming the sandboxes whose records name the volume. */
int volume_check_unused(const char *name, struct err *e);

/*
 * volume_each - call for each volume that passes the filters, by name.
 *
 * @filters  KEY=VALUE: dangling, driver, label, name.
 * @one      0, or -1 with *e, which ends it.
 * Errors: ERR_INPUT for an unknown filter, with or without volumes.
 */
int volume_each(const struct list *filters,
		int (*one)(void *context, const struct volume_seen *s, struct err *e),
		void *context, struct err *e);

#endif
