/*
 * test_mcp_header - what headers of MCP say of bodies.
 */
#include "unit.h"

#include "serve/mcp_header.h"

static void test_plain_values(void **state)
{
	(void)state;
	assert_true(mcp_header_says("tools/call", "tools/call"));
	assert_true(mcp_header_says(" \ttools/call \t", "tools/call"));
	assert_true(mcp_header_says("", ""));
	assert_false(mcp_header_says(NULL, ""));
	assert_false(mcp_header_says("Tools/call", "tools/call"));
	assert_false(mcp_header_says("tools/cal", "tools/call"));
	assert_false(mcp_header_says("tools/call, tools/call", "tools/call"));
}

/* There is one way to write a value in Base64; what looks like that is never taken as it is. */
static void test_encoded_values(void **state)
{
	(void)state;
	assert_true(mcp_header_says("=?base64?w6k=?=", "\xc3\xa9"));
	assert_true(mcp_header_says("=?base64?YQ==?=", "a"));
	assert_true(
		mcp_header_says("=?base64?"
				"?=",
				""));
	assert_true(mcp_header_says("=?base64?=", "=?base64?="));
	assert_false(mcp_header_says("=?base64?YR==?=", "a"));
	assert_false(mcp_header_says("=?base64?YQ?=", "a"));
	assert_false(mcp_header_says("=?base64?YQ==?=", "=?base64?YQ==?="));
	assert_true(mcp_header_says("=?base64?PT9iYXNlNjQ/WVE9PT89?=", "=?base64?YQ==?="));
	assert_false(mcp_header_says("=?BASE64?YQ==?=", "a"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_values),
		cmocka_unit_test(test_encoded_values),
	};

	return cmocka_run_group_tests_name("mcp_header", tests, NULL, NULL);
}
