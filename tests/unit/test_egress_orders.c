/*
 * test_egress_orders - what is asked of the process for a sandbox's network, and what it answers:
 * it reads what strangers send, so its answers are a stranger's, too.
 */
#include "unit.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include "base/json_put.h"
#include "base/own.h"
#include "net/message.h"
#include "sandbox/egress.h"

static struct err e;
static int control; /* ours */
static pid_t peer;

/* A peer that takes one order and answers with this; NULL: it ends without an answer. */
static void answers(const char *text, size_t length)
{
	int theirs;

	assert_int_equal(message_pair(SOCK_SEQPACKET, &control, &theirs), 0);
	peer = fork();
	assert_true(peer >= 0);
	if (!peer) {
		static char order[1 << 17];
		struct message_extra extra;
		ssize_t n = message_receive(theirs, order, sizeof(order), 0, &extra);

		if (n > 0 && text)
			message_send(extra.fds[0], text, length, NULL, 0, 0);
		_exit(n <= 0 || extra.fd_count != 1 ? 1 : 0);
	}
	close(theirs);
}

static void is_over(void)
{
	int status;

	own_close(&control);
	assert_int_equal(waitpid(peer, &status, 0), peer);
	assert_int_equal(status, 0);
}

static enum err_kind replaced(const char *answer)
{
	const struct egress_spec none = {.has_list = true};

	e = (struct err){0};
	answers(answer, answer ? strlen(answer) : 0);
	if (!egress_replace(control, &none, &e))
		e.kind = ERR_NONE;
	is_over();
	return e.kind;
}

static void test_an_order_is_obeyed_or_refused_with_its_kind(void **state)
{
	(void)state;
	assert_int_equal(replaced("{\"ok\":true}"), ERR_NONE);
	assert_int_equal(replaced("{\"error\":\"port 7\",\"kind\":\"invalid\"}"), ERR_INPUT);
	assert_string_equal(e.text, "port 7");
	assert_int_equal(replaced("{\"error\":\"in use\",\"kind\":\"exists\"}"), ERR_EXISTS);
	assert_int_equal(replaced("{\"error\":\"x\",\"kind\":\"nothing known\"}"), ERR_SYSTEM);
	assert_int_equal(replaced("{\"error\":\"x\"}"), ERR_SYSTEM);
}

static void test_an_answer_that_is_none_is_an_error(void **state)
{
	static const char *const wrong[] = {"{",
					    "[]",
					    "0",
					    "{}",
					    "{\"ok\":1}",
					    "{\"ok\":\"true\"}",
					    "{\"error\":1,\"kind\":2}",
					    "\xff"};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(replaced(wrong[i]), ERR_SYSTEM);
	assert_int_equal(replaced(NULL), ERR_GONE);
	assert_int_equal(replaced(NULL), ERR_GONE);
}

static void test_one_that_is_gone_is_not_waited_for(void **state)
{
	const struct egress_spec none = {.has_list = true};
	struct egress_summary summary;
	int theirs;

	(void)state;
	assert_int_equal(message_pair(SOCK_SEQPACKET, &control, &theirs), 0);
	close(theirs);
	assert_int_equal(egress_replace(control, &none, &e), -1);
	assert_int_equal(e.kind, ERR_GONE);
	assert_int_equal(egress_summarize(control, &summary, &e), -1);
	assert_int_equal(e.kind, ERR_GONE);
	own_close(&control);
}

/* -- summaries ------------------------------------------------------------------------------- */

static void written(const struct egress_summary *s, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	egress_summary_write(s, "egress", out);
	json_put_end(out, '}');
}

#define REFUSALS                                                                                   \
	"\"refusals\":[{\"name\":\"a.example\",\"reason\":\"not listed\"},"                        \
	"{\"name\":\"b.example\",\"port\":443,\"reason\":\"private\"}],"

static void test_a_summary_is_read_and_written(void **state)
{
	static const char text[] =
		"{\"ok\":true,\"summary\":{\"connections\":1,\"refused\":2,\"bytes_out\":3,"
		"\"bytes_in\":4,\"queries\":5,\"refused_names\":[\"a.example\"]," REFUSALS
		"\"log_truncated\":true}}";
	auto_buf struct buf out = {0};
	struct egress_summary s;

	(void)state;
	answers(text, strlen(text));
	accepts(egress_summarize(control, &s, &e), "a summary");
	is_over();
	written(&s, &out);
	assert_string_equal(
		buf_string(&out),
		"{\"egress\":{\"connections\":1,\"refused\":2,\"bytes_out\":3,"
		"\"bytes_in\":4,\"queries\":5,\"refused_names\":[\"a.example\"]," REFUSALS
		"\"log_truncated\":true}}");
	egress_summary_fini(&s);
}

static void test_a_summary_of_wrong_types_is_as_nothing(void **state)
{
	static const char text[] =
		"{\"ok\":true,\"summary\":{\"connections\":-1,\"refused\":\"2\",\"bytes_out\":[],"
		"\"bytes_in\":1e300,\"refused_names\":{\"a\":\"b\"},\"refusals\":[7,{\"name\":1},"
		"{\"reason\":\"x\"}],\"log_truncated\":1}}";
	auto_buf struct buf out = {0};
	struct egress_summary s;

	(void)state;
	answers(text, strlen(text));
	accepts(egress_summarize(control, &s, &e), "a summary");
	is_over();
	written(&s, &out);
	assert_string_equal(buf_string(&out),
			    "{\"egress\":{\"connections\":0,\"refused\":0,\"bytes_out\":0,"
			    "\"bytes_in\":0,\"queries\":0,\"refused_names\":[],\"refusals\":[],"
			    "\"log_truncated\":false}}");
	egress_summary_fini(&s);
}

static void test_no_more_names_are_kept_than_there_may_be(void **state)
{
	auto_buf struct buf text = {0};
	struct egress_summary s;

	(void)state;
	buf_text(&text, "{\"ok\":true,\"summary\":{\"refused_names\":[0");
	for (int i = 0; i < 3 * EGRESS_SUMMARY_NAMES; i++)
		buf_printf(&text, ",\"n%d\",null", i);
	buf_text(&text, "]}}");
	answers(text.data, text.length);
	accepts(egress_summarize(control, &s, &e), "a summary");
	is_over();
	assert_int_equal(s.refused_names.count, EGRESS_SUMMARY_NAMES);
	assert_string_equal(s.refused_names.items[EGRESS_SUMMARY_NAMES - 1], "n15");
	egress_summary_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_order_is_obeyed_or_refused_with_its_kind),
		cmocka_unit_test(test_an_answer_that_is_none_is_an_error),
		cmocka_unit_test(test_one_that_is_gone_is_not_waited_for),
		cmocka_unit_test(test_a_summary_is_read_and_written),
		cmocka_unit_test(test_a_summary_of_wrong_types_is_as_nothing),
		cmocka_unit_test(test_no_more_names_are_kept_than_there_may_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
