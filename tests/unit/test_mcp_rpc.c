/*
 * test_mcp_rpc - requests of several listeners: who hears what, and what is cancelled when one
 * leaves. Everything else about messages is asked from outside (tests/mcp/).
 */
#include "unit.h"

#include <string.h>

#include "mcp/mcp_rpc.h"

static unsigned cancelled;

static void cancel(struct mcp_request *r)
{
	assert_true(r->is_cancelled);
	cancelled++;
	mcp_request_drop(r);
}

/* Ends later, whatever is said. */
static void linger(struct mcp_request *r)
{
	assert_true(r->is_cancelled);
	cancelled++;
}

static void hold(struct mcp_request *r)
{
	r->cancel = cancel;
}

static void hold_long(struct mcp_request *r)
{
	r->cancel = linger;
}

static void answer(struct mcp_request *r)
{
	auto_buf struct buf out = {0};

	buf_text(&out, "{}");
	mcp_request_reply(r, &out);
}

static const struct mcp_method methods[] = {
	{"hold",      MCP_ANY, hold},
	{"hold_long",       MCP_ANY, hold_long},
	{"answer", MCP_ANY, answer},
	{.name = NULL },
};

static void hear(void *context, const struct buf *message)
{
	buf_add(context, message->data, message->length);
	buf_text(context, "\n");
}

static void ask(struct mcp_rpc *rpc, struct buf *listener, const char *text)
{
	const struct mcp_sink sink = {.send = hear, .context = listener};

	mcp_rpc_take(rpc, &sink, text, strlen(text));
}

static void test_each_hears_his_own_answers(void **state)
{
	struct mcp_rpc rpc = {.methods = methods};
	auto_buf struct buf a = {0};
	auto_buf struct buf b = {0};

	(void)state;
	ask(&rpc, &a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"answer\"}");
	ask(&rpc, &b, "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"answer\"}");
	assert_string_equal(buf_string(&a), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	assert_non_null(strstr(buf_string(&b), "\"code\":-32600"));
	assert_true(LIST_EMPTY(&rpc.requests));
}

static void test_who_leaves_is_told_nothing_more(void **state)
{
	struct mcp_rpc rpc = {.methods = methods};
	auto_buf struct buf a = {0};
	auto_buf struct buf b = {0};

	(void)state;
	cancelled = 0;
	ask(&rpc, &a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hold\"}");
	ask(&rpc, &b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hold\"}");
	ask(&rpc, &a, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hold_long\"}");
	mcp_rpc_leave(&rpc, &a);
	assert_int_equal(cancelled, 2);
	assert_int_equal(rpc.count, 2);
	mcp_rpc_leave(&rpc, &a);
	assert_int_equal(cancelled, 2);
	answer(LIST_FIRST(&rpc.requests)); /* the one that lingers: nobody hears it */
	answer(LIST_FIRST(&rpc.requests));
	assert_string_equal(buf_string(&a), "");
	assert_string_equal(buf_string(&b), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

static void test_nor_is_what_he_asked_together(void **state)
{
	struct mcp_rpc rpc = {.methods = methods, .version = mcp_version_find("2025-03-26")};
	auto_buf struct buf a = {0};

	(void)state;
	cancelled = 0;
	ask(&rpc, &a,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"answer\"},"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hold\"}]");
	mcp_rpc_leave(&rpc, &a);
	assert_int_equal(cancelled, 1);
	assert_true(LIST_EMPTY(&rpc.requests));
	assert_string_equal(buf_string(&a), "");
}

static void test_a_cancelled_request_is_left_out_of_its_batch(void **state)
{
	struct mcp_rpc rpc = {.methods = methods, .version = mcp_version_find("2025-03-26")};
	auto_buf struct buf a = {0};

	(void)state;
	ask(&rpc, &a,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"answer\"},"
	    "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"hold\"}]");
	assert_string_equal(buf_string(&a), "");
	ask(&rpc, &a,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":{\"requestId\":\"x\"}}");
	assert_string_equal(buf_string(&a), "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n");
}

/* -- a carrier ------------------------------------------------------------------------------- */

static struct {
	unsigned begun;
	unsigned emptied;
	char cancelled[16];
	bool disagrees;
	int code; /* of the last error */
	unsigned notes;
} seen;

static void begin(struct mcp_request *r)
{
	(void)r;
	seen.begun++;
}

static bool agree(struct mcp_request *r, const char *method, const char *version)
{
	assert_string_equal(method, "answer");
	assert_string_equal(version, "2026-07-28");
	if (seen.disagrees)
		mcp_request_fail(r, MCP_HEADER_MISMATCH, NULL, "no");
	return !seen.disagrees;
}

static void hear_of_cancel(struct mcp_rpc *rpc, const char *id)
{
	(void)rpc;
	snprintf(seen.cancelled, sizeof(seen.cancelled), "%s", id);
}

static void emptied(struct mcp_rpc *rpc)
{
	assert_int_equal(rpc->count, 0);
	seen.emptied++;
}

static const struct mcp_transport transport = {
	.begin = begin, .agree = agree, .cancel = hear_of_cancel, .emptied = emptied};

static void note(void *context, const struct buf *message)
{
	(void)context;
	(void)message;
	seen.notes++;
}

static void failing(void *context, enum mcp_error code)
{
	(void)context;
	seen.code = (int)code;
}

#define MODERN_ANSWER                                                                              \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"answer\",\"params\":{\"_meta\":{"              \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                              \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

static void test_a_carrier_has_its_say(void **state)
{
	struct mcp_rpc rpc = {.methods = methods, .transport = &transport, .is_modern = true};
	auto_buf struct buf a = {0};
	const struct mcp_sink sink = {
		.send = hear, .context = &a, .note = note, .failing = failing};

	(void)state;
	memset(&seen, 0, sizeof(seen));
	mcp_rpc_take(&rpc, &sink, MODERN_ANSWER, strlen(MODERN_ANSWER));
	assert_string_equal(buf_string(&a), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	assert_int_equal(seen.begun, 1);
	assert_int_equal(seen.emptied, 1);
	assert_int_equal(seen.code, 0);
	seen.disagrees = true;
	mcp_rpc_take(&rpc, &sink, MODERN_ANSWER, strlen(MODERN_ANSWER));
	assert_int_equal(seen.code, MCP_HEADER_MISMATCH);
	assert_int_equal(seen.emptied, 2);
	ask(&rpc, &a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"answer\"}");
	assert_non_null(
		strstr(buf_string(&a), "-32602")); /* no handshake: it must say its version */
}

static void test_a_carrier_hears_of_what_is_cancelled_and_how_it_goes(void **state)
{
	static const char held[] =
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"hold\","
		"\"params\":{\"_meta\":{\"progressToken\":1}}}";
	struct mcp_rpc rpc = {.methods = methods, .transport = &transport};
	auto_buf struct buf a = {0};
	const struct mcp_sink sink = {
		.send = hear, .context = &a, .note = note, .failing = failing};

	(void)state;
	memset(&seen, 0, sizeof(seen));
	mcp_rpc_take(&rpc, &sink, held, strlen(held));
	mcp_request_progress(LIST_FIRST(&rpc.requests), 1, 2, NULL);
	assert_int_equal(seen.notes, 1);
	ask(&rpc, &a,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":{\"requestId\":\"x\"}}");
	assert_string_equal(seen.cancelled, "\"x\"");
	assert_int_equal(rpc.count, 1);
	mcp_rpc_cancel(&rpc, "7");
	assert_int_equal(seen.emptied, 1);
	assert_string_equal(buf_string(&a), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_hears_his_own_answers),
		cmocka_unit_test(test_who_leaves_is_told_nothing_more),
		cmocka_unit_test(test_nor_is_what_he_asked_together),
		cmocka_unit_test(test_a_cancelled_request_is_left_out_of_its_batch),
		cmocka_unit_test(test_a_carrier_has_its_say),
		cmocka_unit_test(test_a_carrier_hears_of_what_is_cancelled_and_how_it_goes),
	};

	return cmocka_run_group_tests_name("mcp_rpc", tests, NULL, NULL);
}
