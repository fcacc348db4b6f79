/*
 * format - the small part of docker's --format templates that scripts use:
 * text with {{.Name}} in it, {{json .Name}} and {{json .}}.
 */
#ifndef GLOVEBOX_CLI_FORMAT_H
#define GLOVEBOX_CLI_FORMAT_H

#include <stdbool.h>

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

/*
 * format_of_list - what --format says of a list; NULL: nothing.
 * @out_template  owned: of each row, with tabs for "\t"; NULL: the columns of the command.
 * Returns whether a row of heads stands above.
 */
bool format_of_list(const char *text, char **out_template);

#endif
