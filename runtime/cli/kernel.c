/*
 * kernel - `glovebox kernel`: execute a separate program, because only that one needs ZeroMQ
 * (runtime/kernel).
 */
#include "cli/command.h"
#include "cli/scope.h"
#include "flags/kernel_settings.h"

int command_kernel(int argc, char **argv)
{
	scope_enter(); /* it may start a supervisor */
	return exec_sibling("glovebox-kernel", argc, argv);
}

struct settings kernel_command_settings(void)
{
	return kernel_all_settings(NULL, NULL, true);
}
