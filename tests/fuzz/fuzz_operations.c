/*
 * fuzz_operations - any bytes as a request, and as the answer to each: refused, or read with fields
 * that cross unchanged from then on.
 *
 * Input: how many descriptors came along (below 33), the message.
 */
#include "fuzz.h"

#include "base/json_strict.h"
#include "base/utf8.h"
#include "wire/operations.h"

/* Numbers that are nobody's: what takes one over closes nothing. */
static struct wire_message message(const uint8_t *text, size_t length, unsigned fd_count)
{
	struct wire_message m = {.fd_count = fd_count};

	buf_add(&m.text, text, length);
	for (unsigned i = 0; i < fd_count; i++)
		m.fds[i] = -1;
	return m;
}

static int read_request(const struct buf *text, unsigned fd_count, struct op_request *out,
			struct err *e)
{
	struct wire_message m = message((const uint8_t *)text->data, text->length, fd_count);

	return op_request_read(&m, out, e);
}

static int read_answer(enum op op, const struct buf *text, unsigned fd_count, struct op_answer *out,
		       struct err *e)
{
	struct wire_message m = message((const uint8_t *)text->data, text->length, fd_count);

	return op_answer_read(op, &m, out, e);
}

/* Of what was read nothing is beyond the row. */
static void check_fields(const struct form *form, const void *in)
{
	for (const struct field *f = form->fields; f->key; f++) {
		const void *member = (const char *)in + f->offset;
		const struct form_list *list = member;

		switch (f->kind) {
		case FIELD_TEXT:
			MUST(strlen(*(const char *const *)member) <= f->max);
			break;
		case FIELD_NUMBER:
			MUST(*(const uint64_t *)member <= f->max);
			break;
		case FIELD_FLAG:
			break;
		case FIELD_LIST:
			MUST(list->count <= f->max);
			for (unsigned i = 0; i < list->count; i++)
				check_fields(f->items,
					     (const char *)list->items + i * f->items->size);
			break;
		}
	}
}

static void check_request(const struct buf *text, unsigned fd_count)
{
	auto_buf struct buf first = {0};
	auto_buf struct buf second = {0};
	struct op_request request;
	struct err e = {0};
	enum op op;

	if (read_request(text, fd_count, &request, &e)) {
		fuzz_check_error(&e);
		MUST(e.kind == ERR_INPUT || e.kind == ERR_UNSUPPORTED);
		return;
	}
	op = request.op;
	MUST(op < OP_COUNT && request.message.fd_count == fd_count);
	MUST(fd_count >= operations[op].request_fds.min);
	MUST(fd_count <= operations[op].request_fds.max);
	check_fields(&operations[op].request, &request.nothing);
	op_request_write(op, &request.nothing, &first);
	op_request_fini(&request);
	MUST(!read_request(&first, fd_count, &request, &e));
	MUST(request.op == op);
	op_request_write(op, &request.nothing, &second);
	op_request_fini(&request);
	MUST(!strcmp(first.data, second.data));
}

/* It may be an error, of any kind. */
static void check_answer(enum op op, const struct buf *text, unsigned fd_count)
{
	auto_buf struct buf first = {0};
	auto_buf struct buf second = {0};
	struct op_answer answer;
	struct err e = {0};

	if (read_answer(op, text, fd_count, &answer, &e)) {
		MUST(e.kind > ERR_NONE && e.kind < ERR_KINDS && e.number >= 0);
		MUST(memchr(e.text, '\0', sizeof(e.text)));
		return;
	}
	MUST(answer.op == op && answer.message.fd_count == fd_count);
	MUST(fd_count >= operations[op].answer_fds.min);
	MUST(fd_count <= operations[op].answer_fds.max);
	check_fields(&operations[op].answer, &answer.nothing);
	op_answer_write(op, &answer.nothing, &first);
	op_answer_fini(&answer);
	/* Who answers is trusted with UTF-8; bytes that are none become three each. */
	if (!utf8_is_valid(text->data, text->length))
		return;
	MUST(!read_answer(op, &first, fd_count, &answer, &e));
	op_answer_write(op, &answer.nothing, &second);
	op_answer_fini(&answer);
	MUST(!strcmp(first.data, second.data));
}

/* The bytes as an error's text. */
static void check_error(const struct buf *text, unsigned number)
{
	struct err written = {.kind = 1 + number % (ERR_KINDS - 1), .number = (int)number};
	auto_buf struct buf line = {0};
	struct op_answer answer;
	struct err e = {0};

	snprintf(written.text, sizeof(written.text), "%s", buf_string(text));
	op_answer_write_error(&written, &line);
	MUST(!json_check_strict(line.data, line.length, line.length, &e));
	MUST(read_answer(OP_ALIVE, &line, 0, &answer, &e));
	MUST(e.kind == written.kind && e.number == written.number);
	if (utf8_is_valid(written.text, strlen(written.text)))
		MUST(!strcmp(e.text, written.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf text = {0};
	unsigned fd_count;

	if (!size)
		return 0;
	fd_count = data[0] % (WIRE_MAX_FDS + 1);
	buf_add(&text, data + 1, size - 1);
	check_request(&text, fd_count);
	for (int op = 0; op < OP_COUNT; op++)
		check_answer((enum op)op, &text, fd_count);
	check_error(&text, fd_count);
	return 0;
}
