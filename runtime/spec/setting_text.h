/*
 * setting_text - settings for people: help, manual page, completion.
 *
 * No side effects; appends to what it is given.
 */
#ifndef GLOVEBOX_SPEC_SETTING_TEXT_H
#define GLOVEBOX_SPEC_SETTING_TEXT_H

#include "base/buf.h"
#include "spec/setting.h"

/* How a list of settings is laid out in a help text. */
struct setting_layout {
	int indent;
	int width;    /* of the column of flags */
	bool letters; /* there is a column for short forms */
};

/* A line of help: "  -m, --memory SIZE   what it is [512m]". */
void setting_text_help(const struct setting *row, const struct setting_layout *layout,
		       struct buf *out);

/* An entry of a manual page. */
void setting_text_man(const struct setting *row, struct buf *out);

/* roff: a dash that is to be typed, and a backslash, need escaping. */
void setting_text_roff(const char *text, struct buf *out);

/* Help lines, or entries, of all rows that the face has; of one group, or of all (GROUP_COUNT). */
void setting_text_help_all(const struct settings *s, enum setting_group group,
			   const struct setting_layout *layout, struct buf *out);
void setting_text_man_all(const struct settings *s, enum setting_group group, struct buf *out);

/* What the face refuses by name: a reason and its flags, for help or for a manual page. */
void setting_text_refused(const struct settings *s, bool man, struct buf *out);

/* "--x" of every setting that can be given, with `between` them; "--no-x" where that is a flag. */
void setting_text_names(const struct settings *s, const char *between, struct buf *out);

#endif
