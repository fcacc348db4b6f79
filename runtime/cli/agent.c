/*
 * agent - `glovebox agent`: a program of its own beside ours, because it alone needs a network
 * library (agent/).
 */
#include "cli/command.h"

int command_agent(int argc, char **argv)
{
	return exec_sibling("glovebox-agent", argc, argv);
}
