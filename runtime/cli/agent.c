/*
 * agent - `glovebox agent`: executes a separate program, because only that one needs a network
 * library (agent/).
 */
#include "cli/command.h"

int command_agent(int argc, char **argv)
{
	return exec_sibling("glovebox-agent", argc, argv);
}
