/*
 * sibling - the programs that are part of the one file.
 */
#include <stdlib.h>
#include <string.h>

#include "appliance/gnutls.h"
#include "cli/command.h"

/* main() of each, which the Makefile renames. */
int agent_main(int argc, char **argv);
int image_main(int argc, char **argv);
int mcp_main(int argc, char **argv);
int repl_main(int argc, char **argv);
int serve_main(int argc, char **argv);

const bool is_one_file = true;

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	bool has_tls;
} parts[] = {
	{"glovebox-agent", agent_main, true },
        {"glovebox-image", image_main, false},
	{"glovebox-mcp",   mcp_main,   false},
        {"glovebox-repl",  repl_main,  false},
	{"glovebox-serve", serve_main, true },
};

int exec_sibling(const char *program, int argc, char **argv)
{
	struct err e;

	argv[0] = (char *)(invoked_as_docker() ? our_name() : program);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(program, parts[i].name) != 0)
			continue;
		if (parts[i].has_tls && gnutls_begin(&e))
			return fail_with(&e);
		exit(parts[i].main(argc, argv)); /* it says itself what it could not write */
	}
	err_set(&e, ERR_UNSUPPORTED,
		"%s is not in this one file: its package has it (docs/install.md)", program);
	return fail_with(&e);
}
