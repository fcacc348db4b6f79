/*
 * serve - `glovebox serve`: execute a separate program, because only that one needs an HTTP library
 * (runtime/serve).
 */
#include <string.h>

#include "cli/command.h"
#include "cli/scope.h"
#include "flags/serve_settings.h"

/* That program prints the help of "serve key". */
static bool serve_asks_help(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-h"))
		return true;
	for (int i = 1; i < argc && strcmp(argv[1], "key") != 0; i++) {
		if (!strcmp(argv[i], "--help"))
			return true;
	}
	return false;
}

int command_serve(int argc, char **argv)
{
	if (serve_asks_help(argc, argv))
		return command_help(2, (char *[]){(char *)"help", argv[0], NULL});
	scope_enter();
	return exec_sibling("glovebox-serve", argc, argv);
}

struct settings serve_command_settings(void)
{
	return serve_all_settings(NULL, NULL);
}
