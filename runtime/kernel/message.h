/*
 * message - messages of Jupyter's protocol (5.3): signed, or refused.
 *
 * On the wire: identities, "<IDS|MSG>", the signature (HMAC-SHA-256, hexadecimal, of the four that
 * follow), header, parent header, metadata and content as JSON, then buffers. A message whose
 * signature is wrong, or has been seen before, is dropped without an answer: whoever sent it has
 * not got the key.
 *
 * No side effects. Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_MESSAGE_H
#define GLOVEBOX_KERNEL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "kernel/frames.h"

#define SEEN_SLOTS (1u << 16) /* of one generation; half of them are used */

/* The signatures of the last 32,768 messages, and up to as many more. */
struct seen {
	uint64_t *slots[2]; /* owned; the younger one first */
	size_t count;       /* in that */
};

struct signer {
	const char *key; /* borrowed; "": nothing is signed */
	char session[33];
	char newest[33]; /* the id of the last message that was composed */
	struct seen seen;
};

/* Begin with a name of its own in every header; end with signer_fini(). */
void signer_init(struct signer *s, const char *key);
void signer_fini(struct signer *s);

/* A request. Zero-initialise it. */
struct message {
	struct frames parts;     /* as it came */
	size_t identities;       /* how many of the parts */
	struct json *header;     /* owned */
	struct json *parent;     /* owned; NULL: it cannot be read */
	struct json *content;    /* owned; NULL: it cannot be read (a NUL, too deep): refuse it */
	const char *type;        /* in the header; "" */
	const char *header_text; /* JSON, for the parent header of replies */
};

void message_fini(struct message *m);
#define auto_message __attribute__((cleanup(message_fini)))

/*
 * message_read - judge what has come.
 * @parts  moves to @out.
 * Returns whether it is a message to act on.
 */
bool message_read(struct signer *s, struct frames *parts, struct message *out);

/*
 * message_compose - make a message.
 *
 * @to       its identities; NULL: a publication, with its type as the topic.
 * @parent   the request that it belongs to; NULL: none.
 * @content  a JSON object.
 */
void message_compose(struct signer *s, const struct message *to, const char *type,
		     const struct message *parent, const struct buf *content, struct frames *out);

#endif
