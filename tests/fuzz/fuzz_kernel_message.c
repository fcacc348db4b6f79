/*
 * fuzz_kernel_message - a message of any parts is read, or not, and none with a wrong signature.
 *
 * The first byte says whether there is a key; parts are separated by 0xff.
 */
#include "fuzz.h"

#include "kernel/history.h"
#include "kernel/message.h"
#include "kernel/mime.h"

static void split(const uint8_t *data, size_t size, struct frames *out)
{
	while (size) {
		const uint8_t *end = memchr(data, 0xff, size);
		size_t length = end ? (size_t)(end - data) : size;

		frames_add(out, data, length);
		length += end != NULL;
		data += length;
		size -= length;
	}
}

static void use(const struct message *m)
{
	struct history h = {0};
	struct buf out = {0};

	MUST(m->header && m->type && m->header_text);
	history_add(&h, 1, "x");
	if (m->content) {
		history_reply(&h, m->content, &out);
		mime_put(m->content, &out);
		mime_put_left_out(m->content, &out);
		mime_put_lines(json_get(m->content, "traceback"), &out);
	}
	buf_fini(&out);
	history_fini(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool has_key = size && data[0] & 1;
	struct frames parts = {0};
	struct message m = {0};
	struct signer signer;

	signer_init(&signer, has_key ? "key" : "");
	split(data + !!size, size - !!size, &parts);
	if (message_read(&signer, &parts, &m)) {
		MUST(!has_key);
		use(&m);
	}
	message_fini(&m);
	frames_fini(&parts);
	signer_fini(&signer);
	return 0;
}
