/*
 * agent - `glovebox agent`: execute a separate program, because only that one needs a network
 * library (agent/).
 */
#include "cli/command.h"
#include "cli/scope.h"

int command_agent(int argc, char **argv)
{
	scope_enter();
	return exec_sibling("glovebox-agent", argc, argv);
}
