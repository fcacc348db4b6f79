/*
 * mcp_methods - the methods of MCP that this server offers (mcp_rpc.h).
 */
#include "mcp/mcp_methods.h"

#include <string.h>

#include "base/json_put.h"
#include "mcp/mcp_reach.h"
#include "mcp/mcp_resources.h"
#include "mcp/mcp_tools.h"

#define INSTRUCTIONS "Python in a sandbox on this machine. "
#define OWN_SESSION                                                                                \
	"Variables and files in /workspace stay from call to call until reset_session, or until "

static void mcp_methods_put_capabilities(const struct mcp_connection *connection, struct buf *out)
{
	auto_buf struct buf text = {0};

	json_put_begin(out, "capabilities", '{');
	json_put_begin(out, "tools", '{');
	json_put_end(out, '}');
	json_put_begin(out, "resources", '{');
	json_put_end(out, '}');
	json_put_end(out, '}');
	buf_text(&text, INSTRUCTIONS);
	mcp_reach_put(connection ? connection->backend : NULL, &text);
	buf_text(&text, " ");
	if (!connection || connection->is_lasting)
		buf_text(&text, OWN_SESSION);
	buf_text(&text, !connection || !connection->policy ? "this connection ends."
			: connection->is_lasting ? connection->policy->instructions_lasting
						 : connection->policy->instructions);
	json_put_text(out, "instructions", buf_string(&text));
}

static void mcp_methods_initialize(struct mcp_request *r)
{
	const char *wanted = r->params ? json_string_at(r->params, "protocolVersion") : NULL;
	const struct mcp_version *version = wanted ? mcp_version_find(wanted) : NULL;
	auto_buf struct buf out = {0};

	if (!wanted) {
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL, "params must have protocolVersion");
		return;
	}
	if (!version || version->is_modern)
		version = mcp_version_of_handshake();
	r->rpc->version = r->version = version;
	if (r->rpc->transport && r->rpc->transport->greet)
		r->rpc->transport->greet(r->rpc);
	mcp_result_begin(r, &out);
	json_put_text(&out, "protocolVersion", version->name);
	mcp_methods_put_capabilities(r->rpc->owner, &out);
	json_put_begin(&out, "serverInfo", '{');
	json_put_text(&out, "name", "glovebox");
	json_put_text(&out, "version", GLOVEBOX_VERSION);
	json_put_end(&out, '}');
	json_put_end(&out, '}');
	mcp_request_reply(r, &out);
}

static void mcp_methods_ping(struct mcp_request *r)
{
	auto_buf struct buf out = {0};

	mcp_result_begin(r, &out);
	json_put_end(&out, '}');
	mcp_request_reply(r, &out);
}

static void mcp_methods_discover(struct mcp_request *r)
{
	auto_buf struct buf out = {0};

	mcp_result_begin(r, &out);
	mcp_version_put(&out, "supportedVersions", true);
	mcp_methods_put_capabilities(r->rpc->owner, &out);
	mcp_result_put_cache(r, MCP_STAYS, &out);
	json_put_end(&out, '}');
	mcp_request_reply(r, &out);
}

static void mcp_methods_list_tools(struct mcp_request *r)
{
	const struct mcp_connection *connection = r->rpc->owner;
	auto_buf struct buf out = {0};

	if (r->params && json_get(r->params, "cursor")) {
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL, "Unknown cursor");
		return;
	}
	mcp_result_begin(r, &out);
	mcp_tools_put(connection, r->version, &out);
	mcp_result_put_cache(r, connection->policy ? MCP_CHANGES : MCP_STAYS, &out);
	json_put_end(&out, '}');
	mcp_request_reply(r, &out);
}

static void mcp_methods_call_tool(struct mcp_request *r)
{
	const char *name = r->params ? json_string_at(r->params, "name") : NULL;
	const struct json *arguments = r->params ? json_get(r->params, "arguments") : NULL;
	const struct mcp_tool *tool = name ? mcp_tool_find(name) : NULL;

	if (!name)
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL, "params must have name, a string");
	else if (!tool)
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL, "Unknown tool: %.100s", name);
	else if (arguments && !json_is_object(arguments))
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL, "arguments must be an object");
	else
		mcp_call_start(r, tool, r->rpc->owner);
}

/* clang-format off */
const struct mcp_method mcp_methods[] = {
	{"initialize", MCP_LEGACY, mcp_methods_initialize},
	{"ping", MCP_LEGACY, mcp_methods_ping},
	{"server/discover", MCP_MODERN, mcp_methods_discover},
	{"tools/list", MCP_ANY, mcp_methods_list_tools},
	{"tools/call", MCP_ANY, mcp_methods_call_tool},
	{"resources/list", MCP_ANY, mcp_resources_list},
	{"resources/templates/list", MCP_ANY, mcp_resources_list_templates},
	{"resources/read", MCP_ANY, mcp_resources_read},
	{.name = NULL},
};
/* clang-format on */
