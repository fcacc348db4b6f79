/*
 * format - the subset of docker's --format templates that scripts use: text with {{.Name}} in it,
 * {{json .Name}} and {{json .}}.
 */
#ifndef GLOVEBOX_CLI_FORMAT_H
#define GLOVEBOX_CLI_FORMAT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "spec/setting.h"

struct format_field {
	const char *name;  /* "Server.Version", without the leading dot */
	const char *value; /* of an object with other fields as members: its JSON */
};

extern const struct setting format_settings[];

/* Read -f/--format from a command's arguments; any other argument is an error. */
int format_option(int argc, char **argv, const char **out_template, struct err *e);

/*
 * Print the template and a newline. Returns the exit status: 125, and 1 under the name docker, if a
 * part of the template is not understood, which is said.
 */
int format_print(const char *template, const struct format_field *fields);

/*
 * Refuse a template once, before a list has any row. @fields: with the names of a row's; the values
 * do not matter. @template: NULL: there is none to refuse. Returns as format_print().
 */
int format_check(const char *template, const struct format_field *fields);

/*
 * The same with the members of a document, "State.Running", and the check of it.
 * @text  JSON. Returns -1 with *e if it is not.
 */
int format_print_document(const char *template, const struct buf *text, struct err *e);
int format_check_document(const char *template, const struct buf *text, struct err *e);

/*
 * format_of_list - interpret the --format of a list; NULL: not given.
 * @out_template  owned: for each row, with tabs for "\t" and line ends for "\n"; NULL: the
 * command's own columns. Returns whether to print a row of headings.
 */
bool format_of_list(const char *text, char **out_template);

#endif
