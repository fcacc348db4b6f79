/*
 * handle - the name of a session, which says to whom it belongs without anybody remembering it.
 *
 *   code-session-<32 hex>           or, for a proxy that routes by node,
 *   code-session-<label>-<32 hex>
 *
 * 16 of the digits are random; the other 16 are the first half of an HMAC-SHA-256 over the random
 * part, the label and the owner. So another owner's handle, or an invented one, is recognised
 * before anything is looked up, and looks like one of a session that has ended. 64 bits are enough:
 * each guess is a request.
 *
 * The functions of the text have no side effects.
 * Runs: serve. Needs: write access to the state directory, at the first start.
 */
#ifndef GLOVEBOX_SERVE_HANDLE_H
#define GLOVEBOX_SERVE_HANDLE_H

#include <stdbool.h>

#include "base/err.h"

#define HANDLE_PREFIX      "code-session-"
#define HANDLE_LABEL_MOST  16
#define HANDLE_BYTES       (13 + HANDLE_LABEL_MOST + 1 + 32 + 1) /* the longest, with its NUL */
#define HANDLE_SECRET      32
#define HANDLE_SECRET_FILE "handle-secret"

struct handle_secret {
	unsigned char bytes[HANDLE_SECRET];
};

/*
 * handle_secret_open - the server's secret, which outlives it; made if it is not there.
 *
 * @dir_fd  the state directory; borrowed.
 * Errors: ERR_INPUT if others can read the file, or it is no such secret; ERR_SYSTEM.
 */
int handle_secret_open(int dir_fd, struct handle_secret *out, struct err *e);

/* handle_label_is_valid - [a-z0-9]{1,16}. */
bool handle_label_is_valid(const char *label);

/*
 * handle_make - a new handle.
 * @owner  the id of a key. @label  of this node, valid; NULL: none.
 */
void handle_make(const struct handle_secret *secret, const char *owner, const char *label,
		 char out[HANDLE_BYTES]);

/*
 * handle_check - whether this is a handle that we made for this owner, whatever its label.
 * @text  from a stranger. The time does not depend on how much of it is right.
 */
bool handle_check(const struct handle_secret *secret, const char *owner, const char *text);

#endif
