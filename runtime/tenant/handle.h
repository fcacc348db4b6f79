/*
 * handle - names of sessions that carry proof of their owner, so that none are stored.
 *
 *   code-session-<32 hex>           or, for a proxy that routes by node,
 *   code-session-<label>-<32 hex>
 *
 * 16 of the digits are random; the other 16 are the first half of an HMAC-SHA-256 over the random
 * part, the label and the owner. So another owner's handle, or an invented one, is refused before
 * any look-up, and the reply is the same as for a session that has ended. 64 bits are enough: each
 * guess costs a request.
 *
 * The functions on texts have no side effects.
 * Runs: serve. Needs: write access to the state directory, at the first start.
 */
#ifndef GLOVEBOX_TENANT_HANDLE_H
#define GLOVEBOX_TENANT_HANDLE_H

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
 * handle_secret_open - read the server's secret, which outlives it; create it if it is missing.
 *
 * @dir_fd  the state directory; borrowed.
 * Errors: ERR_INPUT: others can read the file, or it has another form; ERR_SYSTEM.
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
 * handle_derive - the handle that belongs to a text: the same at each call.
 * @text  any; of an owner, a kind of name that clients choose.
 */
void handle_derive(const struct handle_secret *secret, const char *owner, const char *label,
		   const char *text, char out[HANDLE_BYTES]);

/*
 * handle_check - whether this server made the handle for this owner, under any label.
 * @text  from a client. Takes the same time however much of it is right.
 */
bool handle_check(const struct handle_secret *secret, const char *owner, const char *text);

#endif
