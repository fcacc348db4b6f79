/*
 * wheel_store - the user's directory of wheels, which sandboxes see with --cache pip.
 *
 *   DIRECTORY/wheels/       *.whl; what is there is never changed, only added and removed
 *   DIRECTORY/fill-XXXXXX/  what one `glovebox cache pip` has taken out of its sandbox
 *   DIRECTORY/lock          shared by those who fill it; who has it alone removes what they have
 * left
 *
 * DIRECTORY is cache_dir(). Names that come out of a sandbox are a stranger's, so only those that a
 * wheel has are taken (PEP 427). A file appears under its name as a whole, by link(2), which never
 * replaces one: nobody can exchange what is there, and sandboxes that use it keep what they read.
 *
 * Touches the OS. Runs: `glovebox cache`. Needs: the user's own directory.
 */
#ifndef GLOVEBOX_CLI_WHEEL_STORE_H
#define GLOVEBOX_CLI_WHEEL_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"

#define WHEEL_STORE_AT_ONCE 1000 /* wheels of one fill */

struct wheel_store {
	int fd;
	int wheels_fd;
	int lock_fd;
	char *path;
	char *stage; /* NULL: none */
	int stage_fd;
};

/* Whether it is a name that a wheel can have: five or six parts, ".whl" behind them. Pure. */
bool wheel_store_is_name(const char *name);

/*
 * wheel_store_open - open it.
 *
 * @make  make what is missing, where nobody else can write; else a missing one is ERR_NOT_FOUND.
 * End it with wheel_store_close(), after an error, too; the stage is removed by that.
 */
int wheel_store_open(struct wheel_store *s, bool make, struct err *e);
void wheel_store_close(struct wheel_store *s);

/* Make the stage, a directory of ours alone, and remove those of fills that were killed. */
int wheel_store_begin(struct wheel_store *s, struct err *e);

/*
 * wheel_store_take - move what is in the stage to the wheels.
 *
 * @most  bytes of all of them.
 * @added, @kept, @refused  names; the second were there before, the third are no wheels, or too
 * much.
 */
int wheel_store_take(struct wheel_store *s, uint64_t most, struct list *added, struct list *kept,
		     struct list *refused, struct err *e);

#endif
