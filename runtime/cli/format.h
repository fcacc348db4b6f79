/*
 * format - the small part of docker's --format templates that scripts use:
 * text with {{.Name}} in it, {{json .Name}} and {{json .}}.
 */
#ifndef GLOVEBOX_CLI_FORMAT_H
#define GLOVEBOX_CLI_FORMAT_H

#include "base/err.h"
#include "spec/setting.h"

struct format_field {
	const char *name;  /* "Server.Version", without the leading dot */
	const char *value; /* of an object, whose members are other fields: its JSON */
};

extern const struct setting format_settings[];

/* Read -f/--format from the arguments of a command. Any other argument is an error. */
int format_option(int argc, char **argv, const char **out_template, struct err *e);

/*
 * Print the template and a newline. Returns the exit status: 125 if the template is not supported.
 */
int format_print(const char *template, const struct format_field *fields);

#endif
