/*
 * request_id - the id of a request, in its reply, the log and the audit.
 */
#include "web/request_id.h"

#include <string.h>

#include "base/encode.h"
#include "base/random.h"

#define HEADER "X-Request-ID"
#define ALLOWED                                                                                    \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"                                     \
	"0123456789._-"
#define BYTES 16 /* of an id that we make */

static bool request_id_is_sane(const char *id)
{
	const size_t length = strlen(id);

	return length > 0 && length < HTTP_ID_SIZE && strspn(id, ALLOWED) == length;
}

void request_id_give(struct request *r)
{
	const char *said = request_header(r, HEADER);
	uint8_t made[BYTES];

	if (said && request_id_is_sane(said)) {
		memcpy(r->id, said, strlen(said) + 1);
	} else {
		random_bytes(made, sizeof(made));
		encode_hex(made, sizeof(made), r->id);
	}
	request_set_header(r, HEADER, r->id);
}
