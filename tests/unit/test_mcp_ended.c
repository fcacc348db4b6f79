/*
 * test_mcp_ended - why a client's id has ended: told once, to the same key, of the newest only.
 */
#include "unit.h"

#include <stdio.h>

#include "serve/mcp_ended.h"

static struct mcp_ended ended;

static int begin(void **state)
{
	(void)state;
	ended = (struct mcp_ended){0};
	return 0;
}

static void test_a_reason_waits_for_its_404(void **state)
{
	(void)state;
	mcp_ended_add(&ended, "one", "alice", "why");
	assert_null(mcp_ended_take(&ended, "alice"));
	assert_null(mcp_ended_tell(&ended, "other"));
	assert_string_equal(mcp_ended_tell(&ended, "one"), "why");
	assert_string_equal(mcp_ended_tell(&ended, "one"), "why");
	assert_null(mcp_ended_take(&ended, "bob"));
	assert_string_equal(mcp_ended_take(&ended, "alice"), "why");
	assert_null(mcp_ended_take(&ended, "alice"));
	assert_null(mcp_ended_tell(&ended, "one"));
}

static void test_the_oldest_is_forgotten(void **state)
{
	char id[16];

	(void)state;
	for (int i = 0; i <= MCP_ENDED_MOST; i++) {
		snprintf(id, sizeof(id), "%d", i);
		mcp_ended_add(&ended, id, "alice", "why");
	}
	assert_null(mcp_ended_tell(&ended, "0"));
	assert_string_equal(mcp_ended_tell(&ended, "1"), "why");
	assert_string_equal(mcp_ended_tell(&ended, id), "why");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_reason_waits_for_its_404, begin),
		cmocka_unit_test_setup(test_the_oldest_is_forgotten, begin),
	};

	return cmocka_run_group_tests_name("mcp_ended", tests, NULL, NULL);
}
