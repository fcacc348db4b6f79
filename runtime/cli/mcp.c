/*
 * mcp - `glovebox mcp`: execute a separate program, which lives as long as its client
 * (runtime/mcp).
 */
#include "cli/command.h"
#include "cli/scope.h"
#include "flags/mcp_settings.h"

int command_mcp(int argc, char **argv)
{
	scope_enter();
	return exec_sibling("glovebox-mcp", argc, argv);
}

struct settings mcp_command_settings(void)
{
	return mcp_all_settings(NULL, NULL);
}
